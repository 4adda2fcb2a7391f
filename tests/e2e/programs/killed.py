# Rank 2 is killed, as the kernel does when memory runs out.
import os
import signal
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        loss = model(torch.randn(16, 8)).pow(2).mean()
        optimizer.zero_grad()
        if dist.get_rank() == 2 and step == 200:
            os.kill(os.getpid(), signal.SIGKILL)
        loss.backward()  # LINE: backward
        optimizer.step()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    train(DistributedDataParallel(torch.nn.Linear(8, 1)), int(os.environ.get("STEPS", "300")))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
