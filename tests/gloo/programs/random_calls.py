"""Calls drawn by one seed on all ranks: operation, datatype, reduce operation, sizes, root and group. Prints their results."""

import random
import sys

import torch
import torch.distributed as dist
from expected import RANK, SIZE, TIMEOUT, begin, end, expect, tensor_facts

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


for step in range(int(sys.argv[2])):
    index = draw.randrange(len(groups))
    group, members, _ = groups[index]
    kind = draw.choice(["all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "barrier", "p2p"])
    shape = [draw.randrange(1, 6) for _ in range(draw.randrange(0, 4))]
    datatype = draw.choice([torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.int8])
    operation = draw.choice(["SUM", "MIN", "MAX", "PRODUCT", "BAND"])
    if datatype.is_floating_point and operation == "BAND":
        operation = "SUM"
    word = {"PRODUCT": "prod"}.get(operation, operation.lower())
    root = draw.randrange(len(members))
    tag, async_op = draw.randrange(1, 1000), draw.random() < 0.3
    if RANK not in members:
        continue
    tensor = torch.full(shape, (step + RANK) % 5 + 1, dtype=datatype)
    copies = [tensor.clone() for _ in members]
    facts = tensor_facts(tensor)
    work = None
    if kind == "all_reduce":
        call("allreduce", index, redop=word, **facts)
        work = dist.all_reduce(tensor, getattr(dist.ReduceOp, operation), group=group, async_op=async_op)
    elif kind == "broadcast":
        call("broadcast", index, root=root, **facts)
        work = dist.broadcast(tensor, members[root], group=group, async_op=async_op)
    elif kind == "reduce":
        call("reduce", index, redop=word, root=root, **facts)
        work = dist.reduce(tensor, members[root], getattr(dist.ReduceOp, operation), group=group, async_op=async_op)
    elif kind == "all_gather":
        call("allgather", index, **facts)
        work = dist.all_gather(copies, tensor, group=group, async_op=async_op)
    elif kind == "gather":
        call("gather", index, root=root, **facts)
        work = dist.gather(tensor, copies if members[root] == RANK else None, members[root], group=group, async_op=async_op)
    elif kind == "scatter":
        call("scatter", index, root=root, **facts)
        work = dist.scatter(tensor, copies if members[root] == RANK else None, members[root], group=group, async_op=async_op)
    elif kind == "barrier":
        call("barrier", index)
        work = dist.barrier(group=group, async_op=async_op)
    else:
        receiver = (root + 1) % len(members)
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
