#!/usr/bin/env python3
"""What the recorder costs a real PyTorch job: the same DDP loop with and without it in alternating pairs, and the time that it
adds to one call. Prints a table; judges nothing, since a busy machine says little.

  ddp_bench.py --build BUILD_FOLDER [--python PYTHON] [--pairs 20] [--steps 300] [--calls 2000] [--only calls|steps]
"""

import argparse
import glob
import math
import os
import shutil
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import trace_rows  # noqa: E402
import warm_process  # noqa: E402

SKIPPED = 77
STACKS = {"none": "none", "both": "python,native"}  # values of ROLLCALL_STACKS


class Bench:
    def __init__(self, python, build):
        library = os.path.join(build, "interpose", "librollcall.so")
        self.bare = warm_process.WarmProcess(python, None)
        self.recorded = warm_process.WarmProcess(python, library)
        self.root = tempfile.mkdtemp(prefix="rollcall-bench-")
        self.runs = 0

    def run(self, program, ranks, arguments, recorded, environment=()):
        """The figure that rank 0 printed, and the folder of the traces."""
        self.runs += 1
        folder = os.path.join(self.root, str(self.runs))
        os.mkdir(folder)
        warm = self.recorded if recorded else self.bare
        job = warm.start(folder, os.path.join(HERE, program), ranks, arguments=[str(one) for one in arguments],
                         environment={"ROLLCALL_HANG_SECONDS": "60", **dict(environment)})
        ended = job.wait(300)
        job.kill()
        if not ended or any(job.statuses):
            raise RuntimeError("%s ended with %s: %s" % (program, job.statuses, job.printed(0, "error")))
        words = [float(word) for word in job.printed(0).split()]
        return (words if len(words) > 1 else words[0]), job.trace

    def close(self):
        self.bare.close()
        self.recorded.close()
        shutil.rmtree(self.root)


def interval(values):
    """Mean and half the width of its 95 % interval."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return mean, float("inf")
    return mean, 1.96 * statistics.stdev(values) / math.sqrt(len(values))


def calls_in(trace):
    files = glob.glob(os.path.join(trace, "*.rollcall"))
    if not files:
        raise RuntimeError("the recorder wrote no trace into " + trace)
    return sum(sum(trace_rows.rows_by_operation(path).values()) for path in files) / len(files)


def ddp(bench, pairs, steps, width, depth, ranks):
    ratios, times = [], []
    for pair in range(pairs):
        figures = {}
        for recorded in (False, True) if pair % 2 else (True, False):  # who goes first alternates
            figures[recorded], trace = bench.run("ddp_loop.py", ranks, [steps, width, depth], recorded)
            if recorded:
                calls = calls_in(trace) / (steps + 20)
        ratios.append(figures[True] / figures[False])
        times.append(figures[False])
    mean, half = interval(ratios)
    print("DDP step, %d ranks, %d layers of %d: %.0f us, %.1f calls a rank; with the recorder x %.4f, 95 %% interval %.4f to %.4f (%d pairs)"
          % (ranks, depth, width, statistics.median(times), calls, mean, mean - half, mean + half, pairs), flush=True)


def size_of(trace):
    return sum(os.path.getsize(path) for path in glob.glob(os.path.join(trace, "*.rollcall")))


def single_calls(bench, pairs, calls):
    added = {name: [] for name in STACKS}
    for _ in range(pairs):
        bare, _ = bench.run("call_loop.py", 1, [calls], False)
        for name, value in STACKS.items():
            figure, _ = bench.run("call_loop.py", 1, [calls], True, {"ROLLCALL_STACKS": value})
            added[name].append(figure - bare)
    for name, values in added.items():
        mean, half = interval(values)
        print("all_reduce on one rank, stacks %-4s: %+.0f ns a call, 95 %% interval %.0f to %.0f, median %.0f (%d pairs)"
              % (name, mean, mean - half, mean + half, statistics.median(values), pairs), flush=True)


def calls_in_backward(bench, pairs, steps, buckets, ranks):
    """In DDP's own backward pass, on whose path the recorder is. A busy machine makes calls slower, never faster: the least median of
    the runs is near what a quiet one would give."""
    medians = {name: [] for name in ("bare", *STACKS)}
    for _ in range(pairs):
        medians["bare"].append(bench.run("ddp_calls.py", ranks, [steps, buckets], False)[0][0])
        for name, value in STACKS.items():
            medians[name].append(bench.run("ddp_calls.py", ranks, [steps, buckets], True, {"ROLLCALL_STACKS": value})[0][0])
    for name in STACKS:
        added = [figure - bare for figure, bare in zip(medians[name], medians["bare"])]
        print("all_reduce of a bucket in DDP's backward pass, %d ranks, stacks %-4s: median call of %.0f ns %+.0f ns by the least medians, %+.0f "
              "by the median pair (%d pairs)" % (ranks, name, min(medians["bare"]), min(medians[name]) - min(medians["bare"]),
                                                 statistics.median(added), pairs), flush=True)


def bytes_per_call(bench, calls):
    """By the difference of a short and a long run: the file begins with, and grows by, more than a few calls need."""
    traces = [bench.run("call_loop.py", 1, [times * calls], True)[1] for times in (1, 8)]
    sizes, rows = [size_of(trace) for trace in traces], [calls_in(trace) for trace in traces]
    print("trace: %.2f bytes a call (from %d to %d calls, from %d to %d bytes)"
          % ((sizes[1] - sizes[0]) / (rows[1] - rows[0]), *rows, *sizes), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--only", choices=["calls", "steps"])
    arguments = parser.parse_args()
    try:
        bench = Bench(arguments.python, arguments.build)
    except warm_process.NoTorch as error:
        print("SKIPPED: %s cannot run PyTorch jobs: %s" % (arguments.python, error))
        return SKIPPED
    print("torch %s, %d processors, load %.1f" % (bench.bare.torch, os.cpu_count(), os.getloadavg()[0]), flush=True)
    for width, depth in () if arguments.only == "calls" else ((16, 2), (256, 8)):
        ddp(bench, arguments.pairs, arguments.steps, width, depth, arguments.ranks)
    if arguments.only == "steps":
        bench.close()
        return 0
    for ranks in (1, arguments.ranks):
        calls_in_backward(bench, arguments.pairs, arguments.steps, 20, ranks)
    single_calls(bench, arguments.pairs, arguments.calls)
    bytes_per_call(bench, arguments.calls)
    bench.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
