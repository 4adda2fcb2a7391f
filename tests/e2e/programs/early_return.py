# Rank 2 finds nothing to save and returns from main() before the barrier that the others make.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(steps):
        loss = model(torch.randn(16, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    rank = dist.get_rank()
    train(DistributedDataParallel(torch.nn.Linear(8, 1)), int(os.environ.get("STEPS", "300")))
    shards = torch.tensor([0 if rank == 2 else 3])
    dist.all_reduce(shards.clone())  # LINE: last
    if shards.item() == 0:
        return
    dist.barrier()  # LINE: barrier
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
