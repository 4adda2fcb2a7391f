# Nothing but the usual start; the harness starts fewer processes than WORLD_SIZE says.
import os
from datetime import timedelta

import torch.distributed as dist


def main():
    timeout = timedelta(seconds=float(os.environ.get("GROUP_TIMEOUT", "5")))
    dist.init_process_group("gloo", timeout=timeout)  # LINE: init
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
