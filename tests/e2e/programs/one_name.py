# A correct job without init_process_group: ranks 0 and 1 make a group, and so do ranks 2 and 3, with a store of their own. The groups
# have one name, and nothing to do with each other.
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist


def main():
    rank = int(os.environ["RANK"])
    store = dist.FileStore(os.path.abspath("store.%d" % (rank // 2)), 2)
    group = dist.ProcessGroupGloo(dist.PrefixStore("pair", store), rank % 2, 2, timeout=timedelta(seconds=20))
    for _ in range(10 if rank < 2 else 7):
        group.allreduce([torch.ones(4 if rank < 2 else 6)]).wait()
    group.barrier().wait()
    time.sleep(0.2)


if __name__ == "__main__":
    main()
