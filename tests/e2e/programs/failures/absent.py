"""Somebody does not come: it ended, it sleeps, it was killed, it has no more data."""

import os
import signal
import time

import job
import torch
import torch.distributed as dist


def barrier_exit_early(rank):
    if rank == 3:
        os._exit(0)  # LINE: exit
    dist.barrier()  # LINE: barrier


def barrier_absent(rank):
    if rank == 3:
        time.sleep(job.LONG)  # LINE: sleep before the barrier
    dist.barrier()  # LINE: barrier with a sleeper


def allreduce_absent(rank):
    if rank == 3:
        time.sleep(job.LONG)  # LINE: sleep before the allreduce
    dist.all_reduce(torch.ones(1000))  # LINE: allreduce with a sleeper


def monitored_absent(rank):
    if rank == 3:
        time.sleep(job.LONG)  # LINE: sleep before the monitored barrier
    dist.monitored_barrier(timeout=job.TIMEOUT, wait_all_ranks=True)  # LINE: monitored barrier


def killed(rank):
    if rank == 3:
        time.sleep(0.5)  # the others are inside
        os.kill(os.getpid(), signal.SIGKILL)
    for _ in range(3):
        dist.all_reduce(torch.ones(4))  # LINE: allreduce of the survivors


def group_of_a_subset(rank):
    if rank in (0, 1):
        group = dist.new_group([0, 1], timeout=job.TIMEOUT)  # LINE: new_group
        dist.all_reduce(torch.ones(2), group=group)
    else:
        time.sleep(2)


if __name__ == "__main__":
    job.run(globals())
