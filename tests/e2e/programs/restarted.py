# torchrun starts the ranks again after rank 1 met a bad sample; then rank 2 finds nothing to save and returns early.
import os
from datetime import timedelta

import torch
import torch.distributed as dist


def train(rank):
    for step in range(20):
        if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and rank == 1 and step == 10:
            raise ValueError("bad sample 17")
        dist.all_reduce(torch.ones(64))


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=15))
    rank = dist.get_rank()
    train(rank)
    shards = torch.tensor([0 if rank == 2 else 3])
    dist.all_reduce(shards.clone())  # LINE: last
    if shards.item() == 0:
        return
    dist.barrier()  # LINE: barrier
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
