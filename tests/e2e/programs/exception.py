# Rank 1 meets a bad sample in the middle of the training and dies of an exception that nobody catches.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


STEPS = int(os.environ.get("STEPS", "300"))


def load(step):
    if dist.get_rank() == 1 and step == STEPS - 10:
        raise ValueError("bad sample 17")  # LINE: raise
    return torch.randn(16, 8)


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        loss = model(load(step)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # LINE: backward
        optimizer.step()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    train(DistributedDataParallel(torch.nn.Linear(8, 1)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
