# The training loop of ddp_bench.py: times its steps, and prints the median of rank 0 in microseconds.
import os
import statistics
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def model(width, depth):
    layers = []
    for _ in range(depth):
        layers += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))


def main():
    steps, width, depth = (int(argument) for argument in sys.argv[1:])
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    torch.manual_seed(7)
    parallel = DistributedDataParallel(model(width, depth), bucket_cap_mb=width * width * 8e-6)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.001)
    batch = torch.randn(32, width)
    seconds = []
    for step in range(steps + 20):
        started = time.perf_counter()
        loss = parallel(batch).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step >= 20:  # the first build buckets
            seconds.append(time.perf_counter() - started)
    dist.barrier()
    if dist.get_rank() == 0:
        print("%.3f" % (1e6 * statistics.median(seconds)), flush=True)
    os._exit(0)  # the end of a process is not measured, and torch's is not reliable


if __name__ == "__main__":
    main()
