"""How `rollcall analyze` grows with ranks and calls: time, CPU time (which a busy machine changes little), and memory.

analysis_bench.py WRITE_JOB ROLLCALL [--short] [--large]

Every job hangs because the rank in the middle misses the last call; the last table has jobs of bounded traces (the newest blocks of
100,000 calls), where fingerprints speak for the rest. --short: small sizes, to see that all of this works. --large: 16,384 ranks, and
20 million calls of two ranks that part at the beginning, so that nothing can be skipped."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def analyze(rollcall: str, folder: str) -> tuple[float, float, int, dict]:
    """Seconds, seconds of CPU, peak KiB and report; the faster of two runs."""
    best, cpu, peak, report = float("inf"), float("inf"), 0, {}
    for _ in range(2):
        begin = time.monotonic()
        child = subprocess.Popen([rollcall, "analyze", "--json", "-", folder], stdout=subprocess.PIPE)
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        best, cpu = min(best, time.monotonic() - begin), min(cpu, usage.ru_utime + usage.ru_stime)
        peak, report = usage.ru_maxrss, json.loads(said)
    return best, cpu, peak, report


def names(report: dict, kind: str, culprit: int) -> bool:
    finding = report["findings"][0] if report["findings"] else {}
    return finding.get("kind") == kind and finding.get("ranks") == [culprit]


class Table:
    def __init__(self, options: argparse.Namespace, title: str) -> None:
        self.options, self.right, self.first = options, True, 0.0
        print(f"\n{title}\n{'ranks':>7} {'calls':>9} {'ms':>9} {'CPU ms':>9} {'CPU ns/call':>11} {'x first':>8} {'MiB':>6} "
              f"{'bytes/call':>10}  verdict")

    def row(self, ranks: int, calls: int, *more: str, kind: str = "missing_rank") -> None:
        with tempfile.TemporaryDirectory(prefix="rollcall-bench-") as folder:
            subprocess.run([self.options.write_job, str(ranks), str(calls), folder, *more], check=True)
            seconds, cpu, kib, report = analyze(self.options.rollcall, folder)
        per_call = 1e9 * cpu / (ranks * calls)
        self.first = self.first or per_call
        right = names(report, kind, ranks // 2)
        self.right = self.right and right
        print(f"{ranks:7} {calls:9} {1000 * seconds:9.1f} {1000 * cpu:9.1f} {per_call:11.1f} {per_call / self.first:8.2f} "
              f"{kib / 1024:6.0f} {1024 * kib / (ranks * calls):10.1f}  {'right' if right else report['verdict']}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("write_job")
    parser.add_argument("rollcall")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    tables = []

    tables.append(Table(options, "Ranks"))
    for ranks in (4, 16) if options.short else (16, 64, 256, 1024, 4096):
        tables[-1].row(ranks, 50 if options.short else 2000)
    tables.append(Table(options, "Ranks, every second call on a group of 8"))
    for ranks in (16, 32) if options.short else (16, 64, 256, 1024, 4096):
        tables[-1].row(ranks, 50 if options.short else 2000, "--group", "8")
    tables.append(Table(options, "Calls"))
    for calls in (50, 200) if options.short else (100, 1000, 10_000, 100_000):
        tables[-1].row(16, calls)
    tables.append(Table(options, "Bounded traces: 5 blocks of calls are left of each"))
    for ranks in (4,) if options.short else (256, 1024, 4096):
        tables[-1].row(ranks, 6000 if options.short else 100_000, "--blocks", "5")
    if options.large:
        tables[-1].row(16_384, 100_000, "--blocks", "5")
        tables.append(Table(options, "Nothing can be skipped: a call more at the beginning"))
        tables[-1].row(2, 10_000_000, "--differ", "10", kind="extra_call")
    return 0 if all(table.right for table in tables) else 1


if __name__ == "__main__":
    sys.exit(main())
