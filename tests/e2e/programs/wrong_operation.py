# Rank 0 broadcasts the statistics which the other ranks all-reduce.
import os
from datetime import timedelta

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    for _ in range(int(os.environ.get("STEPS", "300"))):
        dist.all_reduce(torch.randn(64))
    statistics = torch.ones(8)
    if dist.get_rank() == 0:
        dist.broadcast(statistics, src=0)  # LINE: broadcast
    else:
        dist.all_reduce(statistics)  # LINE: all_reduce
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
