# Rank 2 is killed, as the kernel does when memory runs out.
import os
import signal
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


STEPS = int(os.environ.get("STEPS", "300"))


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        loss = model(torch.randn(16, 8)).pow(2).mean()
        optimizer.zero_grad()
        if dist.get_rank() == 2 and step == STEPS - 10:
            os.kill(os.getpid(), signal.SIGKILL)
        loss.backward()  # LINE: backward
        optimizer.step()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    train(DistributedDataParallel(torch.nn.Linear(8, 1)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
