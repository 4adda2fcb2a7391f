# All-reduces until it is killed, and counts before every call in memory shared with the test: argv[1], a uint64 per rank.
import mmap
import struct
import sys
from datetime import timedelta

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=20))
    rank = dist.get_rank()
    with open(sys.argv[1], "r+b") as file:
        counters = mmap.mmap(file.fileno(), 0)
    count = 0
    while True:
        count += 1
        struct.pack_into("<Q", counters, 8 * rank, count)
        dist.all_reduce(torch.ones(16))  # LINE: all_reduce


if __name__ == "__main__":
    main()
