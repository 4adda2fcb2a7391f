# A correct job: a model that FSDP shards over the ranks, on the CPU.
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
    for _ in range(5):
        loss = model(torch.ones(4, 8) * dist.get_rank()).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.barrier()
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
