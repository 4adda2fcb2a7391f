"""One operation, other arguments on rank 0, or on half of the ranks."""

import job
import torch
import torch.distributed as dist
from torch.distributed import ReduceOp


def average(count, datatype=torch.float32, operation=ReduceOp.SUM):
    dist.all_reduce(torch.ones(count, dtype=datatype), op=operation)  # LINE: average


def smaller(rank):
    average(10 if rank == 0 else 20)


def larger(rank):
    average(20 if rank == 0 else 10)


def many(rank):
    average(1_000_000 if rank == 0 else 1_500_000)


def one_element_less(rank):
    average(1000 if rank == 0 else 1001)


def datatype_of_equal_size(rank):
    average(6, torch.float32 if rank == 0 else torch.int32)


def datatype_of_other_size(rank):
    average(6, torch.float32 if rank == 0 else torch.float64)


def reduce_operation(rank):
    average(6, operation=ReduceOp.SUM if rank == 0 else ReduceOp.MAX)


def broadcast_root(rank):
    dist.broadcast(torch.full((4,), float(rank)), src=0 if rank < 2 else 1)  # LINE: broadcast root


def reduce_root(rank):
    dist.reduce(torch.full((4,), float(rank)), dst=0 if rank < 2 else 1)  # LINE: reduce root


def allgather_size(rank):
    tensor = torch.ones(5 if rank == 0 else 3)
    dist.all_gather([torch.zeros_like(tensor) for _ in range(4)], tensor)  # LINE: allgather


def broadcast_from_less(rank):
    dist.broadcast(torch.ones(8 if rank == 0 else 16), src=0)  # LINE: broadcast from less


def broadcast_from_more(rank):
    dist.broadcast(torch.ones(16 if rank == 0 else 8), src=0)  # LINE: broadcast from more


def alltoall_size(rank):
    tensor = torch.ones(16 if rank == 0 else 24)
    dist.all_to_all_single(torch.empty_like(tensor), tensor)  # LINE: alltoall


if __name__ == "__main__":
    job.run(globals())
