# One rank passes another size, root, reduce operation or datatype to the same call: argument `what` says which.
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist


def synchronize(what, odd):
    if what == "size":
        dist.all_reduce(torch.ones(1001 if odd else 1000))  # LINE: size
    elif what == "root":
        dist.broadcast(torch.ones(8), src=1 if odd else 0)  # LINE: root
    elif what == "dtype":
        dist.all_reduce(torch.ones(6, dtype=torch.int32 if odd else torch.float32))  # LINE: dtype
    elif what == "redop":
        dist.all_reduce(torch.ones(6), op=dist.ReduceOp.MAX if odd else dist.ReduceOp.SUM)  # LINE: redop


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    for _ in range(int(os.environ.get("STEPS", "300"))):
        dist.all_reduce(torch.randn(64))
    synchronize(sys.argv[1], odd=dist.get_rank() == int(sys.argv[2]))
    dist.barrier()
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
