# The call loop of ddp_bench.py: all-reduces of one element on one rank, where Gloo itself costs next to nothing; prints the
# median of ten batches in nanoseconds a call.
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist


def batch(tensor, calls):
    started = time.perf_counter()
    for _ in range(calls):
        dist.all_reduce(tensor)
    return (time.perf_counter() - started) / calls


def main():
    calls = int(sys.argv[1])
    dist.init_process_group("gloo")
    tensor = torch.ones(1)
    batch(tensor, calls)
    print("%.1f" % (1e9 * statistics.median(batch(tensor, calls) for _ in range(10))), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
