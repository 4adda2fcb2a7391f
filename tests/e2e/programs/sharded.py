# A model that FSDP shards over the ranks, on the CPU. A correct job; with an argument, rank 3 leaves in the third step.
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(5):
        if sys.argv[1:] and dist.get_rank() == 3 and step == 3:
            os._exit(0)  # LINE: exit
        loss = model(torch.ones(4, 8) * dist.get_rank()).pow(2).mean()  # LINE: forward
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.barrier()
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
