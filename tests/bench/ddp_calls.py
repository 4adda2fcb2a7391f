# The loop of ddp_bench.py that times single calls where they are made: in DistributedDataParallel's own backward pass, by a hook
# that starts the all-reduce of each bucket as the reducer would. Prints the median and the 10th percentile of the calls of rank 0, in
# nanoseconds of its own processor time: other programs may be running.
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

TIMES = []


def start_bucket(group, bucket):
    tensor = bucket.buffer()
    started = time.thread_time_ns()
    work = dist.all_reduce(tensor, async_op=True)
    TIMES.append(time.thread_time_ns() - started)
    return work.get_future().then(lambda future: future.value()[0])


def main():
    steps, buckets = (int(argument) for argument in sys.argv[1:])
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    dist._DEFAULT_FIRST_BUCKET_BYTES = 1  # else 1 MiB: one bucket for all
    layers = [torch.nn.Linear(16, 16) for _ in range(buckets)]
    parallel = DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=16 * 17 * 4e-6)
    parallel.register_comm_hook(None, start_bucket)
    batch = torch.randn(4, 16)
    for step in range(steps):
        parallel(batch).sum().backward()
        if step == steps // 4:
            TIMES.clear()
    times = sorted(TIMES)
    dist.barrier()
    if dist.get_rank() == 0:
        print(times[len(times) // 2], times[len(times) // 10], flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
