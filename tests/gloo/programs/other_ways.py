"""Ways to make calls beside the functions for tensors: objects, coalescing, functional collectives, groups that are
made again. Two ranks. In DETAIL mode what torch adds is internal, and lies on a group of its own."""

import torch
import torch.distributed as dist
from expected import RANK, TIMEOUT, TORCH, begin, end, expect

position = 0


def made(operation, count=1, **values):
    """The next `count` calls of the world."""
    global position
    for _ in range(count):
        expect(operation, lines=None, group=0, position=position, function="<module>", flags=0, **values)
        position += 1


begin()
made("allgather", 2)
dist.all_gather_object([None, None], {"rank": RANK})
made("broadcast", 2, root=1)
dist.broadcast_object_list([RANK], src=1)
made("broadcast", root=0, datatype="i64")
made("scatter", 2, root=0)
dist.scatter_object_list([None], ["a", "b"] if RANK == 0 else [None, None], src=0)
made("allgather", datatype="i64")
made("gather", root=0, datatype="u8")
dist.gather_object("c", [None, None] if RANK == 0 else None, dst=0)
if TORCH >= (2, 2):
    made("allreduce", tensors=2, library="allreduce_coalesced")
    with dist._coalescing_manager(group=dist.group.WORLD):
        for tensor in (torch.ones(2), torch.ones(3)):
            dist.all_reduce(tensor)
    import torch.distributed._functional_collectives as functional

    made("allreduce", redop="max", datatype="f64")
    functional.all_reduce(torch.ones(4, dtype=torch.float64), "max", dist.group.WORLD).add(1)
for occurrence in range(2):
    expect("init", lines=1, size=2, rank=RANK, group=occurrence + 1, timeout=40000)
    group = dist.new_group([0, 1], timeout=TIMEOUT)
    expect("barrier", lines=1, group=occurrence + 1, position=0)
    dist.barrier(group=group)
    dist.destroy_process_group(group)
end()
