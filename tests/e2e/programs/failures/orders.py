"""The calls of one rank come in another order, or it makes one more or one less."""

import job
import torch
import torch.distributed as dist


def in_order(rank, first, second):
    """As from a dictionary or a set, whose order is another one on rank 0."""
    for step in (first, second) if rank == 0 else (second, first):
        step()


def average():
    dist.all_reduce(torch.ones(8))  # LINE: average


def share():
    dist.broadcast(torch.ones(8), src=1)  # LINE: share


def synchronize():
    dist.barrier()  # LINE: synchronize


def allreduce_and_broadcast(rank):
    in_order(rank, average, share)


def allreduce_and_barrier(rank):
    in_order(rank, average, synchronize)


def loss(count=100):
    dist.all_reduce(torch.ones(count))  # LINE: loss


def accuracy(count=200):
    dist.all_reduce(torch.ones(count))  # LINE: accuracy


def sizes_swapped(rank):
    in_order(rank, loss, accuracy)


def equal_sizes_swapped(rank):
    in_order(rank, lambda: loss(4), lambda: accuracy(4))
    dist.barrier()


def one_more(rank):
    for _ in range(3 if rank == 0 else 2):
        average()
    dist.barrier()  # LINE: barrier after the loop


def never_waited(rank):
    if rank == 0:
        dist.all_reduce(torch.ones(4), async_op=True)  # LINE: never waited
    dist.barrier()  # LINE: barrier after the asynchronous one


def two_groups():
    return [dist.new_group([0, 1, 2, 3], timeout=job.TIMEOUT) for _ in range(2)]


def groups_crossed(rank):
    first, second = two_groups() if rank == 0 else reversed(two_groups())
    dist.all_reduce(torch.ones(4), group=first)  # LINE: first group
    dist.all_reduce(torch.ones(4), group=second)  # LINE: second group


def groups_crossed_async(rank):
    groups = two_groups() if rank == 0 else list(reversed(two_groups()))
    works = [dist.all_reduce(torch.ones(4), group=group, async_op=True) for group in groups]
    for work in works:
        work.wait()
    dist.barrier()


if __name__ == "__main__":
    job.run(globals())
