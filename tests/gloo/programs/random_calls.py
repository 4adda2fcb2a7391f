"""Calls drawn by one seed on all ranks: operation, datatype, reduce operation, sizes, root and group.

Prints what they are, and their results. Arguments: seed, number of calls."""

import random
import sys

import torch
import torch.distributed as dist
from expected import RANK, SIZE, TIMEOUT, TORCH, begin, end, expect, tensor_facts

draw = random.Random(int(sys.argv[1]))
begin()
groups = [(None, list(range(SIZE)), 0)]
for number, members in ((1, [0, 1]), (2, list(range(SIZE - 1)))):
    if RANK in members:
        expect("init", lines=2, count=len(members), size=len(members), rank=members.index(RANK), group=number)
    # The line above is said of the next one.
    groups.append((dist.new_group(members, timeout=TIMEOUT), members, number))
positions = [0, 0, 0]
digest = 0.0


def call(operation, index, **values):
    group, members, number = groups[index]
    expect(operation, lines=None, function="<module>", group=number, size=len(members), rank=members.index(RANK),
           position=positions[index], started="yes", **values)
    positions[index] += 1


def splits():
    """Rows that rank r of n sends to rank s, and so those that it takes."""
    return [[draw.randrange(0, 4) for _ in range(SIZE)] for _ in range(SIZE)]


KINDS = ["all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "barrier", "p2p", "all_to_all",
         "all_to_all_splits", "coalesced"]
OPERATIONS = ["SUM", "MIN", "MAX", "PRODUCT", "BAND", "BOR", "BXOR"]
DATATYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.int8]
if TORCH >= (2, 2):
    KINDS += ["all_gather_into_tensor", "reduce_scatter_tensor"]
    DATATYPES += [torch.bfloat16]
if TORCH >= (2, 12):
    KINDS += ["all_to_all_list"]
    OPERATIONS += ["AVG"]

def elements(rows, each):
    return ",".join(str(each * count) for count in rows)


for step in range(int(sys.argv[2])):
    index = draw.randrange(len(groups))
    group, members, _ = groups[index]
    size = len(members)
    kind = draw.choice(KINDS)
    shape = [draw.randrange(1, 6) for _ in range(draw.randrange(0, 4))]
    datatype = draw.choice(DATATYPES)
    operation = draw.choice(OPERATIONS)
    if operation.startswith("B") if datatype.is_floating_point else operation == "AVG":
        operation = "SUM"
    if (TORCH < (2, 12) and kind == "reduce_scatter_tensor") or (operation == "AVG" and kind == "coalesced"):
        operation = "SUM"  # what torch does, whatever is asked for
    word = {"PRODUCT": "prod"}.get(operation, operation.lower())
    root, rows = draw.randrange(size), splits()
    tag, async_op = draw.randrange(1, 1000), draw.random() < 0.3
    if RANK not in members:
        continue
    own = members.index(RANK)
    if kind.startswith("all_to_all") or kind == "reduce_scatter_tensor":
        shape = [size * 2] + shape
    tensor = torch.full(shape, (step + RANK) % 5 + 1, dtype=datatype)
    copies = [tensor.clone() for _ in members]
    facts = tensor_facts(tensor)
    reduction = getattr(dist.ReduceOp, operation)
    work = None
    if kind == "all_reduce":
        call("allreduce", index, redop=word, **facts)
        work = dist.all_reduce(tensor, reduction, group=group, async_op=async_op)
    elif kind == "coalesced":
        call("allreduce", index, redop=word, tensors=2, library="allreduce_coalesced", count=2 * tensor.numel(),
             datatype=facts["datatype"])
        work = dist.all_reduce_coalesced([tensor, copies[0]], reduction, group=group, async_op=async_op)
    elif kind == "broadcast":
        call("broadcast", index, root=root, **facts)
        work = dist.broadcast(tensor, members[root], group=group, async_op=async_op)
    elif kind == "reduce":
        call("reduce", index, redop=word, root=root, **facts)
        work = dist.reduce(tensor, members[root], reduction, group=group, async_op=async_op)
    elif kind == "all_gather":
        call("allgather", index, **facts)
        work = dist.all_gather(copies, tensor, group=group, async_op=async_op)
    elif kind == "all_gather_into_tensor":
        tensor = tensor.reshape(-1)
        call("allgather", index, **tensor_facts(tensor))
        work = dist.all_gather_into_tensor(tensor.repeat(size), tensor, group=group, async_op=async_op)
    elif kind == "reduce_scatter_tensor":
        call("reducescatter", index, redop=word, **facts)
        work = dist.reduce_scatter_tensor(tensor[:2].clone(), tensor, reduction, group=group, async_op=async_op)
    elif kind == "gather":
        call("gather", index, root=root, **facts)
        work = dist.gather(tensor, copies if root == own else None, members[root], group=group, async_op=async_op)
    elif kind == "scatter":
        call("scatter", index, root=root, **facts)
        work = dist.scatter(tensor, copies if root == own else None, members[root], group=group, async_op=async_op)
    elif kind == "all_to_all":
        call("alltoall", index, input="", output="", **facts)
        work = dist.all_to_all_single(torch.empty_like(tensor), tensor, group=group, async_op=async_op)
    elif kind == "all_to_all_splits":
        sent, taken = rows[own][:size], [rows[other][own] for other in range(size)]
        tensor = torch.ones([sum(sent), 3], dtype=datatype)
        call("alltoall", index, input=elements(sent, 3), output=elements(taken, 3), **tensor_facts(tensor))
        work = dist.all_to_all_single(torch.empty([sum(taken), 3], dtype=datatype), tensor, taken, sent, group=group,
                                      async_op=async_op)
    elif kind == "all_to_all_list":
        each = elements([tensor.numel()] * size, 1)
        call("alltoall", index, count=size * tensor.numel(), tensors=size, input=each, output=each,
             datatype=facts["datatype"])
        work = dist.all_to_all(copies, [tensor.clone() for _ in members], group=group, async_op=async_op)
    elif kind == "barrier":
        call("barrier", index)
        work = dist.barrier(group=group, async_op=async_op)
    else:
        receiver = (root + 1) % size
        if RANK == members[root]:
            expect("send", peer=receiver, tag=tag, group=groups[index][2], **facts)
            dist.send(tensor, members[receiver], group=group, tag=tag)
        elif RANK == members[receiver]:
            expect("recv", peer=root, tag=tag, group=groups[index][2], **facts)
            dist.recv(tensor, members[root], group=group, tag=tag)
    if work is not None:
        work.wait()
    if kind != "reduce" or RANK == members[root]:  # others hold what is not defined
        digest = (digest * 31 + float(tensor.double().sum()) + sum(float(part.double().sum()) for part in copies)) % 1e9
end()
print("result %r" % digest)
