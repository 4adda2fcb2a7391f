"""What the programs of this folder share: the group, one function of theirs, the end."""

import os
import sys
import time
from datetime import timedelta

import torch.distributed as dist

TIMEOUT = timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5")))
LONG = 60  # longer than any timeout: the test ends who sleeps so long


def run(functions):
    """functions: those of the program by name; argument 1 says which one the ranks call, once all are there."""
    dist.init_process_group("gloo", timeout=TIMEOUT)
    dist.barrier()
    functions[sys.argv[1]](dist.get_rank())
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()
