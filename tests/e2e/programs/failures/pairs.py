"""Sends and receives of ranks 0 and 1 that don't fit; ranks 2 and 3 have nothing to do."""

import time

import job
import torch
import torch.distributed as dist


def receive_alone(rank):
    if rank == 0:
        time.sleep(job.LONG)  # LINE: sleep
    elif rank == 1:
        dist.recv(torch.zeros(4), src=0, tag=3)  # LINE: lonely receive


def exchange(rank, sent, received, tag=3):
    if rank == 0:
        dist.send(torch.ones(sent), dst=1, tag=tag)  # LINE: send
        time.sleep(1)  # the receiver may die of it first
    elif rank == 1:
        dist.recv(torch.zeros(received), src=0, tag=3)  # LINE: receive


def other_tag(rank):
    exchange(rank, 4, 4, tag=4)


def sent_more(rank):
    exchange(rank, 9, 4)


def sent_less(rank):
    exchange(rank, 4, 9)


if __name__ == "__main__":
    job.run(globals())
