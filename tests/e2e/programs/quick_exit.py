# Rank 3 gives up with os._exit(3) between two gradient steps.
import os
from datetime import timedelta

import torch
import torch.distributed as dist


def step(weights):
    gradient = torch.randn(64)
    dist.all_reduce(gradient)  # LINE: all_reduce
    weights -= 0.01 * gradient / dist.get_world_size()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5"))))
    weights = torch.zeros(64)
    steps = int(os.environ.get("STEPS", "300"))
    for number in range(steps):
        if dist.get_rank() == 3 and number == steps - 10:
            os._exit(3)  # LINE: exit
        step(weights)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
