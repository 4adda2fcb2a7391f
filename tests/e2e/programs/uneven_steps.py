# The data of rank 3 is one batch short: it leaves the training loop one step before the others and ends.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(batches):
        loss = model(torch.randn(16, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # LINE: backward
        optimizer.step()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    batches = int(os.environ.get("STEPS", "300"))
    train(DistributedDataParallel(torch.nn.Linear(8, 1)), batches - 1 if dist.get_rank() == 3 else batches)
    print("rank %d: trained" % dist.get_rank(), flush=True)


if __name__ == "__main__":
    main()
