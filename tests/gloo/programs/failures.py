"""Exceptions of the library reach the program; then a group is made again. Two ranks."""

import datetime
import os

import torch
import torch.distributed as dist
from expected import RANK, TIMEOUT, begin, end, expect

begin()
SHORT = datetime.timedelta(seconds=2)
expect("init", lines=1, group=1, timeout=2000)
short = dist.new_group([0, 1], timeout=SHORT)
# A group of its own: a barrier waits for earlier work of its group, and may find the refused one not put away yet.
expect("init", lines=1, group=2, timeout=2000)
refusing = dist.new_group([0, 1], timeout=SHORT)
expect("allreduce", lines=2, group=2, position=0, redop="band", state="failed")
try:
    dist.all_reduce(torch.ones(3), op=dist.ReduceOp.BAND, group=refusing)
except RuntimeError as error:
    print("refused", "non-integral" in str(error))
expect("allreduce", lines=1, group=0, position=0)
dist.all_reduce(torch.ones(1))
if RANK == 0:
    expect("recv", lines=2, group=1, peer=1, tag=3, state="failed", timeout=2000)
    try:
        dist.recv(torch.ones(2), src=1, group=short, tag=3)
    except RuntimeError as error:
        print("timeout", "Timed out waiting 2000ms" in str(error))
    expect("allreduce", lines=2, group=1, position=0, state="failed")
    try:
        dist.all_reduce(torch.ones(2), group=short)
    except RuntimeError as error:
        print("broken", type(error) is RuntimeError)
expect("barrier", lines=1, group=0, position=1)
dist.barrier()
dist.destroy_process_group()
# Another store: at the address of the first one, ranks could still meet the old server.
expect("init", lines=2, count=2, rank=RANK, group=0, timeout=40000)
store = "file://" + os.path.join(os.environ["ROLLCALL_TEST_FOLDER"], "store")
dist.init_process_group("gloo", init_method=store, rank=RANK, world_size=2, timeout=TIMEOUT)
expect("barrier", lines=1, group=0, position=0)
dist.barrier()
end()
