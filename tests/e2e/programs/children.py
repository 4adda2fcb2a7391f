# A job whose ranks have many children: forks, a data loader, a program that is missing, programs that become others.
import os
import subprocess
import time
from datetime import timedelta

import torch
import torch.distributed as dist


def forks(number):
    """Exit statuses of children that end as those of multiprocessing do."""
    statuses = []
    for child in range(number):
        pid = os.fork()
        if pid == 0:
            os._exit(child % 7)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return statuses


def missing_program():
    try:
        subprocess.run(["/no/such/program"])
    except FileNotFoundError as error:
        return str(error)


def exec_in_child():
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/sh", ["sh", "-c", "exec true; exit 9"])
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def shells():
    done = subprocess.run(["sh", "-c", "echo shell | tr a-z A-Z; exec sh -c 'exit 5'"], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def loaded(rank):
    loader = torch.utils.data.DataLoader(list(range(8 * rank, 8 * rank + 8)), batch_size=4, num_workers=2)
    return [batch.tolist() for batch in loader]


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    rank = dist.get_rank()
    for step in (forks, 64), (missing_program,), (exec_in_child,), (shells,), (loaded, rank):
        value = torch.tensor([float(rank)])
        dist.all_reduce(value)
        print("rank %d: %s: %s, sum %d" % (rank, step[0].__name__, step[0](*step[1:]), value), flush=True)
    dist.barrier()
    time.sleep(0.2)  # torch 2 deadlocks in destroy_process_group() while a worker drops its last tensor
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
