#!/usr/bin/env python3
"""What the recorder adds to a Gloo call. Prints and judges nothing.

    gloo_bench.py --library BUILD/interpose/librollcall.so --plain BUILD/tests/bench/gloo_bench [--python PYTHON] [--pairs N]

Plain: one rank, the bare call, with and without the recorder, in pairs. torch (--python): all_reduce of one float on two ranks."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from warm_process import free_port  # noqa: E402

LOOP = """
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
tensor, times = torch.ones(1), []
for _ in range(3200):
    begin = time.perf_counter_ns()
    dist.all_reduce(tensor)
    times.append(time.perf_counter_ns() - begin)
times = sorted(times[200:])
if dist.get_rank() == 0:
    print(times[len(times) // 2], times[len(times) // 10])
dist.barrier()
dist.destroy_process_group()
"""


def environment(library, folder, **values):
    result = dict(os.environ, GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1", **values)
    result.pop("LD_PRELOAD", None)
    if library:
        result.update(LD_PRELOAD=library, ROLLCALL_DIR=folder)
    return result


def run_plain(program, library, **values):
    folder = tempfile.mkdtemp(prefix="rollcall-bench-")
    try:
        words = subprocess.check_output([program], env=environment(library, folder, **values), text=True).split()
    finally:
        shutil.rmtree(folder)
    return float(words[1]), float(words[3])


def run_torch(python, library):
    folder = tempfile.mkdtemp(prefix="rollcall-bench-")
    port = free_port()
    ranks = [subprocess.Popen([python, "-W", "ignore", "-c", LOOP], stdout=subprocess.PIPE, text=True,
                              env=environment(library, folder, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1",
                                              MASTER_PORT=str(port))) for rank in range(2)]
    output = [rank.communicate(timeout=120)[0] for rank in ranks]
    shutil.rmtree(folder)
    return [float(word) for word in output[0].split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--plain")
    parser.add_argument("--python")
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.plain:
        for stacks in ("none", "native"):
            added = []
            for _ in range(arguments.pairs):
                without = run_plain(arguments.plain, None)
                with_it = run_plain(arguments.plain, arguments.library, ROLLCALL_STACKS=stacks)
                added.append([b - a for a, b in zip(without, with_it)])
            barrier, allreduce = (statistics.median(column) for column in zip(*added))
            print("plain Gloo, stacks %s: barrier +%.0f ns, allreduce +%.0f ns (median of %d pairs)" %
                  (stacks, barrier, allreduce, arguments.pairs))
    if arguments.python:
        pairs = [(run_torch(arguments.python, None), run_torch(arguments.python, arguments.library))
                 for _ in range(arguments.pairs)]
        for index, name in ((0, "median"), (1, "10th percentile")):
            differences = [with_it[index] - without[index] for without, with_it in pairs]
            print("torch all_reduce, 2 ranks, %s: +%.0f ns of %.0f ns" %
                  (name, statistics.median(differences), statistics.median(without[index] for without, _ in pairs)))


if __name__ == "__main__":
    sys.exit(main())
