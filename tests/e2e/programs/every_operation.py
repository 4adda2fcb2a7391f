# A correct job that uses each operation: blocking and asynchronous, a second group, objects, send and receive rings.
import time
from datetime import timedelta

import torch
import torch.distributed as dist


def collectives(rank, size):
    total = torch.ones(5, dtype=torch.int64)
    dist.all_reduce(total)
    parts = [torch.zeros(3) for _ in range(size)]
    dist.all_gather(parts, torch.full((3,), float(rank)))
    dist.broadcast(total, src=1)
    dist.reduce(total, dst=2, op=dist.ReduceOp.MAX)
    dist.gather(torch.ones(2), parts_of(rank, size, 3), dst=3)
    dist.scatter(torch.zeros(2), parts_of(rank, size, 0), src=0)
    dist.all_to_all_single(torch.zeros(size), torch.arange(float(size)))
    names = [None] * size
    dist.all_gather_object(names, "rank %d" % rank)
    return names


def parts_of(rank, size, root):
    return [torch.full((2,), float(i)) for i in range(size)] if rank == root else None


def ring(rank, size):
    received = torch.zeros(4)
    request = dist.isend(torch.full((4,), float(rank)), (rank + 1) % size)
    dist.recv(received, (rank - 1) % size)
    request.wait()
    return int(received[0])


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=20))
    rank, size = dist.get_rank(), dist.get_world_size()
    pair = dist.new_group([0, 1], timeout=timedelta(seconds=20))
    for _ in range(10):
        names = collectives(rank, size)
        left = ring(rank, size)
        works = [dist.all_reduce(torch.ones(64), async_op=True) for _ in range(4)]
        if rank < 2:
            dist.all_reduce(torch.ones(2), group=pair)
        for work in works:
            work.wait()
    dist.barrier()
    print("rank %d saw %s, neighbour %d" % (rank, names, left), flush=True)
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
