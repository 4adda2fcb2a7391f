# Rank 1 waits for a file, outside of any collective call. FILE: its path; it may come late, or never.
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


def wait_for_file(path):
    while not os.path.exists(path):
        time.sleep(0.5)  # LINE: sleep


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    train(DistributedDataParallel(torch.nn.Linear(8, 1)), int(os.environ.get("STEPS", "300")))
    if dist.get_rank() == 1:
        wait_for_file(os.environ.get("FILE", "never.written"))
    dist.barrier()  # LINE: barrier
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
