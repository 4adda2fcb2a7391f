# save() ends with a barrier, and only rank 0 saves; the others are in the next epoch's first step by then.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(steps):
        loss = model(torch.randn(16, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # LINE: backward
        optimizer.step()


def save(model):
    state = {name: value.clone() for name, value in model.module.state_dict().items()}
    dist.barrier()  # LINE: barrier
    return state


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    for _ in range(2):
        train(model, int(os.environ.get("STEPS", "200")))
        if dist.get_rank() == 0:
            save(model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
