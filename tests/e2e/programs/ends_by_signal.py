# Each rank ends in another way that has nothing to do with the others, after a barrier.
import os
import signal
import sys
import threading
import time
from datetime import timedelta

import torch.distributed as dist


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    dist.barrier()
    rank = dist.get_rank()
    time.sleep(0.2)
    dist.destroy_process_group()
    if rank == 0:
        os.kill(os.getpid(), signal.SIGTERM)
    if rank == 1:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(60)
    if rank == 2:
        os.abort()
    sys.exit("rank 3 says goodbye")


if __name__ == "__main__":
    main()
