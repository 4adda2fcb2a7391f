#!/usr/bin/env python3
"""`rollcall run` with the launchers that people use: a shell, torchrun, python -m torch.distributed.run, torch.multiprocessing.

  run_launchers.py --python /usr/bin/python3 --build BUILD_FOLDER [LAUNCHER...]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import analysis
import cases
import warm_process

SKIPPED = 77
RANKS = 3
SHELL_LOOP = """pids=
for rank in 0 1 2; do RANK=$rank LOCAL_RANK=$rank "$0" -W ignore "$1" & pids="$pids $!"; done
status=0
for pid in $pids; do wait $pid || status=$?; done
exit $status"""

RETURNED = cases.Case("rank 2 returns early", "early_return.py", "early_exit", [2], [0, 1], True,
                      lines={0: ("barrier", "main"), 1: ("barrier", "main"), 2: ("last", "main")})
SPAWNED = cases.Case("rank 2 returns early", "spawned.py", "early_exit", [2], [0, 1], True,
                     lines={0: ("barrier", "worker"), 1: ("barrier", "worker"), 2: ("last", "worker")})
RESTARTED = cases.Case("rank 2 returns early in the second attempt", "restarted.py", "early_exit", [2], [0, 1], True,
                       lines={0: ("barrier", "main"), 1: ("barrier", "main"), 2: ("last", "main")})
SLEEPS = cases.Case("rank 1 sleeps", "sleeper.py", ("missing_rank", "late_rank"), [1], [0, 2],
                    lines={0: ("barrier", "main"), 1: ("sleep", "wait_for_file"), 2: ("barrier", "main")})


def torch_version(python):
    done = subprocess.run([python, "-c", "import torch, torch.distributed as d; assert d.is_available(); print(torch.__version__)"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout.strip()


def torchrun_options(version, folder, port):
    """Past the faults of some versions; reference: Std.from_str under Python 3.11, Debian's torch 2 without libuv."""
    if version.startswith("1."):
        return ["-r", "1", "-t", "1", "--master_port", str(port)], {}
    if "debian" in version:
        return ["--local-addr", "127.0.0.1", "--rdzv-backend", "c10d", "--rdzv-conf", "store_type=file", "--rdzv-endpoint",
                os.path.join(folder, "rendezvous")], {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    return ["--master_port", str(port)], {}


def torchrun_of(python):
    """The script beside this Python, started by this Python."""
    for folder in (os.path.dirname(python), "/usr/bin"):
        if os.path.exists(os.path.join(folder, "torchrun")):
            return [python, os.path.join(folder, "torchrun")]
    return None


class Launch:
    """A job under `rollcall run` in a folder of its own."""

    def __init__(self, build, folder, command, options=(), environment=()):
        self.traces, self.lines = os.path.join(folder, "traces"), []
        settings = dict(os.environ, OMP_NUM_THREADS="1", **warm_process.rank_environment(0, RANKS, warm_process.free_port(), folder))
        for name in ("RANK", "LOCAL_RANK", "ROLLCALL_DIR", "ROLLCALL_HANG_SECONDS"):
            del settings[name]
        settings.update(environment)
        rollcall = os.path.join(build, "tools", "rollcall", "rollcall")
        self.process = subprocess.Popen([rollcall, "run", "-o", self.traces, *options, "--", *command], env=settings, cwd=folder,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()

    def said(self, text):
        return any(text in line for line in list(self.lines))

    def wait_until_said(self, text, seconds):
        deadline = time.monotonic() + seconds
        while not self.said(text) and time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(0.05)
        return self.said(text)

    def wait(self, seconds):
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "did not end within %d s" % seconds
        self.reader.join()
        return status


def report_differences(launch, case, build, said=None):
    """The report after the end: analysed again, on stderr, and in the folder. said: what stderr must hold in place of today's
    verdict, which counts seconds."""
    result = analysis.Analysis(os.path.join(build, "tools", "rollcall", "rollcall"), launch.traces)
    found = analysis.differences(case, case.program, result)
    said = said or result.report["verdict"]
    if not launch.said(said):
        found.append("stderr does not hold the verdict: " + said)
    for name in ("report.txt", "report.json"):
        if not os.path.exists(os.path.join(launch.traces, name)):
            found.append("%s is not there" % name)
    if os.path.exists(os.path.join(launch.traces, "report.json")):
        with open(os.path.join(launch.traces, "report.json")) as file:
            kinds = [finding["kind"] for finding in json.load(file)["findings"]]
        if kinds[:1] != [(result.first or {"kind": None})["kind"]]:
            found.append("report.json holds other findings: %s" % kinds)
    return found


def ends(build, folder, command, case, status, environment=()):
    launch = Launch(build, folder, command, environment={"STEPS": "50", "GROUP_TIMEOUT": "15", **dict(environment)})
    got = launch.wait(90)
    found = report_differences(launch, case, build)
    if got != status:
        found.append("exit status: expected %s, got %s" % (status, got))
    return found, launch


def shell(build, folder, python, _):
    program = os.path.join(analysis.PROGRAMS, RETURNED.program)
    return ends(build, folder, ["sh", "-c", SHELL_LOOP, python, program], RETURNED, 1)


def shell_hang(build, folder, python, _):
    """The report comes while the job hangs; the job then goes on and ends as if nothing had been."""
    awaited = os.path.join(folder, "awaited")
    launch = Launch(build, folder, ["sh", "-c", SHELL_LOOP, python, os.path.join(analysis.PROGRAMS, SLEEPS.program)],
                    ["--hang-after", "2"], {"STEPS": "50", "GROUP_TIMEOUT": "300", "FILE": awaited})
    found = []
    place = "%s:%d" % (SLEEPS.program, analysis.line_of(SLEEPS.program, "sleep"))
    if not launch.wait_until_said(place, 60):
        found.append("no report within 60 s that says " + place)
    elif launch.process.poll() is not None:
        found.append("the report came after the end")
    found += report_differences(launch, SLEEPS, build, place)
    with open(awaited, "w"):
        pass
    status = launch.wait(60)
    if status != 0:
        found.append("exit status: expected 0, got %s" % status)
    return found, launch


def shell_kill(build, folder, python, _):
    """After the report of the hang the whole job is ended."""
    launch = Launch(build, folder, ["sh", "-c", SHELL_LOOP, python, os.path.join(analysis.PROGRAMS, SLEEPS.program)],
                    ["--on-hang", "kill", "--hang-after", "2"],
                    {"STEPS": "50", "GROUP_TIMEOUT": "300", "FILE": os.path.join(folder, "awaited")})
    status = launch.wait(90)
    found = report_differences(launch, SLEEPS, build, "%s:%d" % (SLEEPS.program, analysis.line_of(SLEEPS.program, "sleep")))
    if status != 124:
        found.append("exit status: expected 124, got %s" % status)
    return found, launch


def distributed_run(build, folder, python, version):
    options, environment = torchrun_options(version, folder, warm_process.free_port())
    command = [python, "-W", "ignore", "-m", "torch.distributed.run", *options, "--nproc_per_node", str(RANKS),
               os.path.join(analysis.PROGRAMS, RETURNED.program)]
    return ends(build, folder, command, RETURNED, 1, environment)


def torchrun(build, folder, python, version):
    options, environment = torchrun_options(version, folder, warm_process.free_port())
    command = torchrun_of(python)
    if command is None:
        return ["no torchrun beside " + python], None
    command += [*options, "--nproc_per_node", str(RANKS), os.path.join(analysis.PROGRAMS, RETURNED.program)]
    return ends(build, folder, command, RETURNED, 1, environment)


def restarted(build, folder, python, version):
    """Two incarnations: the last one is judged."""
    options, environment = torchrun_options(version, folder, warm_process.free_port())
    command = torchrun_of(python)
    if command is None:
        return ["no torchrun beside " + python], None
    command += [*options, "--max_restarts", "1", "--nproc_per_node", str(RANKS),
                os.path.join(analysis.PROGRAMS, RESTARTED.program)]
    return ends(build, folder, command, RESTARTED, 1, environment)


def spawn(build, folder, python, _):
    return ends(build, folder, [python, "-W", "ignore", os.path.join(analysis.PROGRAMS, SPAWNED.program)], SPAWNED, 1)


# torch's own race of a worker thread with the end of Python: some processes abort at exit, without the recorder as well.
TORCH_ABORT = "terminate called without an active exception"
ATTEMPTS = 3

LAUNCHERS = {"shell": shell, "shell_hang": shell_hang, "shell_kill": shell_kill,
             "distributed_run": distributed_run, "torchrun": torchrun, "restarted": restarted, "spawn": spawn}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("launchers", nargs="*", default=[])
    arguments = parser.parse_args()
    version = torch_version(arguments.python) if os.path.exists(arguments.python) else ""
    if not version:
        print("SKIPPED: %s has no torch.distributed" % arguments.python)
        return SKIPPED
    print("torch %s, %s" % (version, arguments.python), flush=True)
    root = tempfile.mkdtemp(prefix="rollcall-launchers-")
    passed = True
    for name in arguments.launchers or list(LAUNCHERS):
        started = time.monotonic()
        for attempt in range(ATTEMPTS):
            folder = os.path.join(root, "%s.%d" % (name, attempt))
            os.mkdir(folder)
            found, launch = LAUNCHERS[name](arguments.build, folder, arguments.python, version)
            if not found or launch is None or not launch.said(TORCH_ABORT):
                break
        passed = passed and not found
        print("%-5s %-16s %5.1f s" % ("FAIL" if found else "ok", name, time.monotonic() - started), flush=True)
        if found:
            print("\n".join("      " + text for text in found))
            print("      traces in %s; stderr ended:" % folder)
            print("".join("      | " + line for line in (launch.lines if launch else [])[-25:]), flush=True)
    if passed:
        shutil.rmtree(root)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
