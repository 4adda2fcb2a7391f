#!/usr/bin/env python3
"""Kills a random rank by SIGKILL at a random time, many times: its trace must hold at least the calls that the rank counted in
shared memory before it made them, and the analysis must name it.

  run_kills.py --build BUILD --raw 40 --torch 10 [--python PYTHON] [--seed N]
"""

import argparse
import glob
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import analysis
import trace_rows
import warm_process

SKIPPED = 77
RANKS = 4
ALLREDUCE = 1  # Operation of proto/trace.proto


class RawJob:
    """The ranks of raw_gloo, with what Job of warm_process.py has."""

    def __init__(self, build, folder, counters):
        preload = os.path.join(build, "interpose", "librollcall.so")
        self.trace = os.path.join(folder, "trace")
        os.mkdir(os.path.join(folder, "store"))
        self.processes = []
        for rank in range(RANKS):
            environment = dict(os.environ, LD_PRELOAD=preload)
            environment.update(warm_process.rank_environment(rank, RANKS, 1, folder))
            command = [os.path.join(build, "tests", "e2e", "raw_gloo"), os.path.join(folder, "store"), counters]
            with open(os.path.join(folder, "error.%d" % rank), "w") as errors:
                self.processes.append(subprocess.Popen(command, env=environment, stderr=errors))
        self.pids = [process.pid for process in self.processes]

    def wait(self, seconds):
        deadline = time.monotonic() + seconds
        for process in self.processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                return False
        return True

    def kill(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()


def read_counters(path):
    with open(path, "rb") as file:
        return struct.unpack("<%dQ" % RANKS, file.read())


def trace_of(folder, pid):
    names = glob.glob(os.path.join(folder, "*.%d.*.rollcall" % pid))
    return names[0] if len(names) == 1 else None


def kill_one(start, command, folder, chance):
    """Complaints about one run, and a line about it."""
    counters = os.path.join(folder, "counters")
    with open(counters, "wb") as file:
        file.write(b"\0" * 8 * RANKS)
    job = start(folder, counters)
    try:
        deadline = time.monotonic() + 30
        while min(read_counters(counters)) < 1:  # all ranks are in their first call
            if time.monotonic() > deadline:
                return ["the ranks did not start within 30 s"], ""
            time.sleep(0.002)
        victim, delay = chance.randrange(RANKS), chance.uniform(0, 0.25)
        time.sleep(delay)
        os.kill(job.pids[victim], signal.SIGKILL)
        ended = job.wait(25)
    finally:
        job.kill()
    found = [] if ended else ["the survivors did not end within 25 s"]
    counted = read_counters(counters)
    recorded = []
    for rank, pid in enumerate(job.pids):
        path = trace_of(job.trace, pid)
        if path is None:
            return found + ["rank %d left no trace, or several, in %s" % (rank, job.trace)], ""
        recorded.append(trace_rows.rows_by_operation(path)[ALLREDUCE])
        # The count is raised before the call: a rank that died between the two has made one call less.
        if not counted[rank] - (rank == victim) <= recorded[rank] <= counted[rank]:
            found.append("rank %d counted %d calls, its trace holds %d" % (rank, counted[rank], recorded[rank]))
    result = analysis.Analysis(command, job.trace)
    first = result.first or {"kind": "nothing", "ranks": []}
    if (first["kind"], first["ranks"], result.status) != ("killed", [victim], 1):
        found.append("rank %d was killed; the analysis says %s %s, status %d: %s"
                     % (victim, first["kind"], first["ranks"], result.status, result.report["verdict"]))
    return found, "rank %d after %5.1f ms, %5d calls counted, %5d recorded" % (
        victim, delay * 1000, counted[victim], recorded[victim])


def repeat(name, times, start, command, root, chance):
    bad = 0
    for number in range(times):
        folder = os.path.join(root, "%s.%d" % (name, number))
        os.mkdir(folder)
        found, line = kill_one(start, command, folder, chance)
        print("%-5s %s %2d: %s" % ("FAIL" if found else "ok", name, number, line), flush=True)
        for complaint in found:
            print("      " + complaint, flush=True)
        if found:
            bad += 1
            print("      traces in " + folder, flush=True)
        else:
            shutil.rmtree(folder)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--python")
    parser.add_argument("--raw", type=int, default=0, help="runs of a C++ program over libgloo")
    parser.add_argument("--torch", type=int, default=0, help="runs of a PyTorch program")
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = random.randrange(1 << 31) if arguments.seed is None else arguments.seed
    chance = random.Random(seed)
    print("seed %d" % seed, flush=True)
    command = os.path.join(arguments.build, "tools", "rollcall", "rollcall")
    root = tempfile.mkdtemp(prefix="rollcall-kills-")
    bad = 0
    ran_raw = arguments.raw and os.path.exists(os.path.join(arguments.build, "tests", "e2e", "raw_gloo"))
    if ran_raw:
        bad += repeat("raw", arguments.raw, lambda folder, counters: RawJob(arguments.build, folder, counters), command,
                      root, chance)
    elif arguments.raw:
        print("SKIPPED: libgloo-dev was not there: all runs are of PyTorch")
        arguments.torch += arguments.raw
    if arguments.torch:
        try:
            warm = warm_process.WarmProcess(arguments.python,
                                            os.path.join(arguments.build, "interpose", "librollcall.so"))
        except warm_process.NoTorch as error:
            print("SKIPPED: %s cannot run PyTorch jobs: %s" % (arguments.python, error))
            if bad:
                return 1
            shutil.rmtree(root)
            return 0 if ran_raw else SKIPPED
        program = os.path.join(analysis.PROGRAMS, "counted.py")
        bad += repeat("torch", arguments.torch,
                      lambda folder, counters: warm.start(folder, program, arguments=[counters]), command, root, chance)
        warm.close()
    if not bad:
        shutil.rmtree(root)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
