#!/usr/bin/env python3
"""Runs one group of cases.py with real PyTorch under one Python. Exit status 77: this Python has no torch.

  run_cases.py --python /usr/bin/python3 --build BUILD_FOLDER GROUP [--case NAME] [--keep FOLDER]
"""

import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

import analysis
import cases
import warm_process
from job_case import ABORTED, KILLED

SKIPPED = 77
HANG_SECONDS = 40  # a job that is to end by itself must have ended by then


def settle(job, case, command):
    """Waits for the end of the job, or for its hang to be seen; returns the analysis of its trace."""
    if not case.live:
        absent = [rank for rank, status in (case.statuses or {}).items() if status == KILLED]
        waited_for = [rank for rank in range(case.processes) if rank not in absent]
        job.in_time = job.wait(HANG_SECONDS, waited_for)
        if absent:
            job.wait(1)  # it may have ended by itself, or must be ended
        job.kill()
        return analysis.Analysis(command, job.trace)
    job.in_time = True
    deadline = time.monotonic() + 20
    while True:
        result = analysis.Analysis(command, job.trace)
        if not analysis.differences(case, case.program, result) or time.monotonic() > deadline:
            job.kill()
            return result
        time.sleep(0.3)


def status_differences(case, job):
    if not job.in_time:
        yield "the job had to be killed after %d s" % HANG_SECONDS
    for rank, expected in (case.statuses or {}).items():
        allowed = expected if isinstance(expected, tuple) else (expected,)
        if job.statuses[rank] not in allowed:
            yield "exit status of rank %d: expected %s, got %s" % (rank, expected, job.statuses[rank])


def aborted_by_torch(case, job):
    """torch's own race at exit without destroy_process_group (pytorch#190489): says nothing about us."""
    return any(status == ABORTED and "without an active exception" in job.printed(rank, "error")
               for rank, status in enumerate(job.statuses))


def attempt(case, warm, command, folder):
    environment = {"STEPS": str(case.steps), "GROUP_TIMEOUT": "600" if case.live else "5"}
    job = warm.start(folder, os.path.join(analysis.PROGRAMS, case.program), case.processes, case.world_size,
                     case.arguments, environment)
    try:
        result = settle(job, case, command)
    finally:
        job.kill()
    found = analysis.differences(case, case.program, result) + list(status_differences(case, job))
    return job, result, found


def run(case, warm, command, root):
    """The kind of its finding, in a list that is empty for a correct job; None when it fails. And a line about it."""
    started = time.monotonic()
    for number in range(3):
        folder = os.path.join(root, "%s.%d" % (case.name.replace("/", "_"), number))
        os.mkdir(folder)
        job, result, found = attempt(case, warm, command, folder)
        if not found or not aborted_by_torch(case, job):
            break
    seconds = time.monotonic() - started
    if not found:
        kinds = [finding["kind"] for finding in result.report["findings"][:1]]
        return kinds, "ok    %-60s %5.1f s  %s" % (case.name, seconds, result.report["verdict"])
    lines = ["FAIL  %s (%.1f s)" % (case.name, seconds)] + ["      " + text for text in found]
    lines.append("      verdict: " + result.report["verdict"])
    lines.append("      exit statuses: %s; trace in %s" % (job.statuses, job.trace))
    lines.append("      analyze said: " + (result.errors.strip() or "nothing on stderr"))
    for rank in range(case.processes):
        lines += ["      rank %d: %s" % (rank, text) for text in job.printed(rank, "error").strip().split("\n")[-3:]]
    return None, "\n".join(lines)


def write_results(build, torch, group, selected, told):
    """kinds/ is for tests/generate/kinds_table.py, results/ for results_table.py. told: of each case, see run()."""
    kinds, results = os.path.join(build, "kinds"), os.path.join(build, "results")
    for folder in kinds, results:
        os.makedirs(folder, exist_ok=True)
    with open(os.path.join(kinds, "gloo.%s.%s" % (torch, group)), "w", encoding="utf-8") as file:
        file.writelines(kind + "\n" for found in told for kind in found or [])
    with open(os.path.join(results, "%s.%s" % (group, torch)), "w", encoding="utf-8") as file:
        for case, found in zip(selected, told):
            outcome = "FAILED" if found is None else found[0] if found else "silent"
            file.write("%s\t%s\n" % (case.name, outcome))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--case", help="only this one")
    parser.add_argument("--keep", help="folder for the traces; default: a temporary one, kept when a case fails")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time: most of them wait for a timeout")
    parser.add_argument("group", choices=sorted(cases.GROUPS))
    arguments = parser.parse_args()
    try:
        warm = warm_process.WarmProcess(arguments.python, os.path.join(arguments.build, "interpose", "librollcall.so"))
    except warm_process.NoTorch as error:
        print("SKIPPED: %s cannot run PyTorch jobs: %s" % (arguments.python, error))
        return SKIPPED
    print("torch %s, %s" % (warm.torch, arguments.python), flush=True)
    command = os.path.join(arguments.build, "tools", "rollcall", "rollcall")
    root = arguments.keep or tempfile.mkdtemp(prefix="rollcall-e2e-")
    os.makedirs(root, exist_ok=True)
    selected = [case for case in cases.GROUPS[arguments.group]
                if arguments.case in (None, case.name) and warm.torch.startswith(case.torch)]
    told = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for kinds, text in pool.map(lambda case: run(case, warm, command, root), selected):
            told.append(kinds)
            print(text, flush=True)
    warm.close()
    write_results(arguments.build, warm.torch, arguments.group, selected, told)
    passed = None not in told
    if passed and not arguments.keep:
        shutil.rmtree(root)
    return 0 if passed and selected else 1


if __name__ == "__main__":
    sys.exit(main())
