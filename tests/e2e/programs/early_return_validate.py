# validate() returns early on rank 2, whose validation set is empty; the rank saves nothing and is done.
import os
import time
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


def validate(model, batches):
    count = torch.tensor([float(len(batches))])
    dist.all_reduce(count)  # LINE: count
    if not batches:
        return None
    error = sum(model.module(batch).abs().mean().detach() for batch in batches)
    dist.all_reduce(error)  # LINE: error
    return error / count


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    rank = dist.get_rank()
    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    train(model, int(os.environ.get("STEPS", "300")))
    batches = [torch.randn(16, 8) for _ in range(4)] if rank != 2 else []
    error = validate(model, batches)
    if error is not None:
        print("rank %d: error %.4f" % (rank, error), flush=True)
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
