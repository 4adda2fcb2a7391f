"""DistributedDataParallel that does not do the same on all ranks."""

import time

import job
import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, steps):
    for _ in range(steps):
        model(torch.ones(2, 8)).sum().backward()  # LINE: backward


def one_step_less(rank):
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)))
    train(model, 2 if rank == 3 else 3)
    if rank == 3:
        time.sleep(job.LONG)  # LINE: sleep


class Branches(torch.nn.Module):
    def __init__(self, rank):
        super().__init__()
        self.rank = rank
        self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, batch):
        return self.first(batch) if self.rank == 0 else self.second(self.first(batch))


def unused_layer(rank):
    model = DistributedDataParallel(Branches(rank))
    for _ in range(2):
        model(torch.ones(2, 8)).sum().backward()  # LINE: step


def other_shape(rank):
    model = DistributedDataParallel(torch.nn.Linear(8, 8 if rank == 0 else 9))  # LINE: wrap
    train(model, 1)


if __name__ == "__main__":
    job.run(globals())
