# torch.multiprocessing starts the ranks, which know their number from an argument and not from the environment.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing


def worker(rank, size):
    address = "tcp://127.0.0.1:" + os.environ["MASTER_PORT"]
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=size, timeout=timedelta(seconds=15))
    for _ in range(50):
        dist.all_reduce(torch.ones(64))  # LINE: last
    if rank == 2:
        return
    dist.barrier()  # LINE: barrier
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.multiprocessing.spawn(worker, args=(3,), nprocs=3)
