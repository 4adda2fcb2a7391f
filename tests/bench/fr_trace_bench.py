"""Diagnosis of one job, by `rollcall analyze` and by PyTorch's fr_trace on the same content.

fr_trace_bench.py WRITE_JOB ROLLCALL [--ranks 256] [--calls 2000] [--runs 5] [--fr-trace TORCHFRTRACE]

The job: every rank makes the same steps of ten all-reduces; the rank in the middle never makes the last call. It is written as our
traces and as Flight Recorder dumps (pickles of format 2.10, a frame per entry). Prints both times, whether each names the rank,
and the ratio. Without fr_trace only our side runs."""
import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time

CALLS_OF_STEP = 10


def write_dump(folder: str, rank: int, ranks: int, calls: int) -> None:
    entries = []
    for call in range(calls):
        last = call + 1 == calls
        if last and rank == ranks // 2:
            break
        sizes = [[1024 * (call % CALLS_OF_STEP + 1)]]
        entries.append({
            "record_id": call, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": call + 1, "p2p_seq_id": 0,
            "op_id": call + 1, "profiling_name": "nccl:all_reduce", "time_created_ns": 100_000 * call, "input_sizes": sizes,
            "input_dtypes": ["Float"], "output_sizes": sizes, "output_dtypes": ["Float"], "is_p2p": False, "thread_id": "1",
            "state": "scheduled" if last else "completed", "time_discovered_started_ns": None,
            "time_discovered_completed_ns": None if last else 100_000 * call + 50_000, "retired": not last, "timeout_ms": 600_000,
            "thread_name": "python",
            "frames": [{"name": "main", "filename": "train.py", "line": 40 + call % CALLS_OF_STEP}]})
    members = str(list(range(ranks)))
    dump = {"version": "2.10", "comm_lib_version": "2.27.3", "entries": entries,
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": members}},
            "pg_status": {"0": {"last_enqueued_collective": len(entries), "last_started_collective": -1,
                                "last_completed_collective": calls - 1}}}
    with open(f"{folder}/comm_lib_trace_rank_{rank}", "wb") as file:
        pickle.dump(dump, file, protocol=2)


def seconds(command: list[str], runs: int) -> tuple[float, str]:
    """The fastest of some runs, and what the command said."""
    best, said = float("inf"), ""
    for _ in range(runs):
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        best = min(best, time.monotonic() - begin)
        said = done.stdout + done.stderr
    return best, said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("write_job")
    parser.add_argument("rollcall")
    parser.add_argument("--ranks", type=int, default=256)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--fr-trace", default=shutil.which("torchfrtrace") or "")
    options = parser.parse_args()
    culprit = options.ranks // 2

    with tempfile.TemporaryDirectory(prefix="rollcall-bench-") as folder:
        traces, dumps = f"{folder}/traces", f"{folder}/dumps"
        subprocess.run([options.write_job, str(options.ranks), str(options.calls), traces], check=True)
        ours, said = seconds([options.rollcall, "analyze", "--json", "-", traces], options.runs)
        report = json.loads(said)
        finding = report["findings"][0]
        right = finding["kind"] == "missing_rank" and finding["ranks"] == [culprit]
        print(f"{options.ranks} ranks x {options.calls} calls, the last one missing on rank {culprit}")
        print(f"  rollcall analyze {1000 * ours:9.1f} ms   {report['verdict']}")
        if not options.fr_trace or not os.path.exists(options.fr_trace):
            print("  fr_trace is not here (pip install torch): no ratio")
            return 0 if right else 1
        os.mkdir(dumps)
        for rank in range(options.ranks):
            write_dump(dumps, rank, options.ranks, options.calls)
        theirs, said = seconds([options.fr_trace, "-p", "comm_lib_trace_rank_", dumps], min(options.runs, 2))
        # Its imports are no analysis.
        imports, _ = seconds([options.fr_trace, "--help"], 2)
        missing = [line for line in said.splitlines() if "missing" in line.lower()]
        print(f"  fr_trace         {1000 * theirs:9.1f} ms   of which {1000 * imports:.0f} ms to start   "
              f"{missing[0].strip() if missing else 'names nobody'}")
        print(f"  ratio            {theirs / ours:9.1f}      without its start {(theirs - imports) / ours:.1f}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
