"""Every operation of the group once, with what the recorder must say of it."""

import torch
import torch.distributed as dist
from expected import RANK, SIZE, TIMEOUT, TORCH, begin, end, expect, tensor_facts

begin()
position = 0


def collective(operation, tags=1, **values):
    global position
    values.setdefault("group", 0)
    expect(operation, lines=None, position=position, started="yes", timeout=40000, **values)
    position += tags


def reduce_in_function(tensor):
    collective("allreduce", redop="sum", function="reduce_in_function", tensors=1, library="allreduce", **tensor_facts(tensor))
    dist.all_reduce(tensor)


def parts(count, tensor):
    return [tensor.clone() for _ in range(count)]


reduce_in_function(torch.ones(4, 3) * (RANK + 1))
tensor = torch.ones(5, dtype=torch.int64)
collective("allreduce", redop="max", **tensor_facts(tensor))
dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
tensor = torch.ones(2, 1, 1, 3, 1, 2, 2)
collective("allreduce", redop="prod", **tensor_facts(tensor))
dist.all_reduce(tensor, op=dist.ReduceOp.PRODUCT)
tensor = torch.full((7,), float(RANK))
collective("broadcast", root=1, **tensor_facts(tensor))
dist.broadcast(tensor, src=1)
tensor = torch.full((2,), float(RANK))
collective("allgather", **tensor_facts(tensor))
dist.all_gather(parts(SIZE, tensor), tensor)
tensor = torch.ones(3)
collective("reduce", root=2, redop="min", **tensor_facts(tensor))
dist.reduce(tensor, dst=2, op=dist.ReduceOp.MIN)
tensor = torch.ones(2) * RANK
collective("gather", root=0, **tensor_facts(tensor))
dist.gather(tensor, parts(SIZE, tensor) if RANK == 0 else None, dst=0)
collective("scatter", root=SIZE - 1, **tensor_facts(tensor))
dist.scatter(tensor, parts(SIZE, tensor) if RANK == SIZE - 1 else None, src=SIZE - 1)
tensor = torch.arange(2 * SIZE, dtype=torch.float64)
collective("alltoall", input="", output="", **tensor_facts(tensor))
dist.all_to_all_single(torch.empty(2 * SIZE, dtype=torch.float64), tensor)
# Rank r sends r + s + 1 rows of 3 elements to rank s.
rows = [RANK + other + 1 for other in range(SIZE)]
tensor = torch.ones(sum(rows), 3)
splits = ",".join(str(3 * row) for row in rows)
collective("alltoall", input=splits, output=splits, **tensor_facts(tensor))
dist.all_to_all_single(torch.empty(sum(rows), 3), tensor, rows, rows)
if TORCH >= (2, 2):
    tensor = torch.ones(2)
    collective("allgather", **tensor_facts(tensor))
    dist.all_gather_into_tensor(torch.empty(2 * SIZE), tensor)
    tensor = torch.ones(2 * SIZE)
    collective("reducescatter", redop="sum", **tensor_facts(tensor))
    dist.reduce_scatter_tensor(torch.empty(2), tensor)
if TORCH >= (2, 12):
    collective("reducescatter", tags=SIZE, redop="avg", count=2 * SIZE, tensors=SIZE, dimensions=2)
    dist.reduce_scatter(torch.empty(2), parts(SIZE, torch.ones(2)), op=dist.ReduceOp.AVG)
    collective("alltoall", count=3 * SIZE, tensors=SIZE, input=",".join(["3"] * SIZE), output=",".join(["3"] * SIZE))
    dist.all_to_all(parts(SIZE, torch.ones(3)), parts(SIZE, torch.ones(3)))
collective("allreduce", redop="sum", count=5, tensors=2, library="allreduce_coalesced")
dist.all_reduce_coalesced([torch.ones(2), torch.ones(3)])
# One tag, three calls of Gloo.
collective("allreduce", redop="sum", count=10, datatype="f32")
dist.all_reduce(torch.sparse_coo_tensor(torch.tensor([[0, RANK]]), torch.tensor([1.0, 2.0]), (10,)))
tensor = torch.ones(6)
if RANK == 0:
    expect("send", peer=1, tag=5, group=0, started="yes", **tensor_facts(tensor))
    dist.send(tensor, dst=1, tag=5)
    expect("recv", peer=-1, tag=9, group=0, started="yes", **tensor_facts(tensor))
    dist.recv(tensor, src=None, tag=9)
elif RANK == 1:
    expect("recv", peer=0, tag=5, group=0, started="yes", **tensor_facts(tensor))
    dist.recv(tensor, src=0, tag=5)
    expect("send", peer=0, tag=9, group=0, started="yes", **tensor_facts(tensor))
    dist.send(tensor, dst=0, tag=9)
collective("barrier", count=0)
dist.barrier()
expect("monitored_barrier", position=position, group=0, timeout=30000)
dist.monitored_barrier(timeout=TIMEOUT.__class__(seconds=30))
position += 2
if RANK in (0, 2):
    expect("init", lines=3, count=2, size=2, rank=RANK // 2, group=1, timeout=50000)
else:
    print("not a member")
group = dist.new_group([0, 2], timeout=TIMEOUT.__class__(seconds=50))
if RANK in (0, 2):
    tensor = torch.ones(9)
    expect("allreduce", group=1, position=0, redop="sum", timeout=50000, **tensor_facts(tensor))
    dist.all_reduce(tensor, group=group)
if TORCH >= (2, 0):
    tensor = torch.ones(1)
collective("allreduce", count=11, redop="sum")
first = dist.all_reduce(torch.ones(11), async_op=True)
collective("allreduce", count=12, redop="sum")
second = dist.all_reduce(torch.ones(12), async_op=True)
first.wait()
second.wait()
collective("barrier", count=0)
dist.barrier()
end()
print("result", reduce_in_function.__name__)
