#!/usr/bin/env python3
"""The recorder is a guest: real PyTorch jobs print the same and end the same with and without it, also when it cannot write.

  run_guest.py --python /usr/bin/python3 --build BUILD_FOLDER
"""

import argparse
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import analysis
import warm_process

SKIPPED = 77


class Skip(Exception):
    pass


@contextlib.contextmanager
def small_disk(size, root):
    folder = tempfile.mkdtemp(dir=root)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%s" % size, "tmpfs", folder], stderr=subprocess.PIPE, text=True)
    if mounted.returncode:
        raise Skip("no right to mount a small disk: " + mounted.stderr.strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


@contextlib.contextmanager
def ordinary_folder(root):
    yield os.path.join(root, "trace")


@contextlib.contextmanager
def unwritable_folder(_):
    yield "/proc/self/no/such/folder"  # root cannot write there either


# name, program, where the traces go, trace files expected (None: does not matter), notices on stderr expected
SITUATIONS = [
    ("a correct job", "correct.py", ordinary_folder, 4, False),
    ("64 forked children, subprocesses, a data loader", "children.py", ordinary_folder, 4, False),
    ("ends by signals and by exit text", "ends_by_signal.py", ordinary_folder, 4, False),
    ("an unwritable folder", "correct.py", unwritable_folder, 0, True),
    ("a full disk, from the start", "correct.py", lambda root: small_disk("16k", root), None, True),
    ("a full disk, for some ranks", "correct.py", lambda root: small_disk("300k", root), None, True),
]


def outcome(warm, root, program, folder):
    """What each rank printed and how it ended; lines of the recorder apart."""
    directory = tempfile.mkdtemp(dir=root)
    job = warm.start(directory, os.path.join(analysis.PROGRAMS, program),
                     environment={"ROLLCALL_DIR": folder, "STEPS": "40", "GROUP_TIMEOUT": "30"})
    in_time = job.wait(60)
    job.kill()
    ranks, notices = [], []
    for rank, status in enumerate(job.statuses):
        errors = job.printed(rank, "error").splitlines()
        notices.append([line for line in errors if line.startswith("rollcall:")])
        said = [re.sub(r":\d{4,5}\b", ":PORT", line) for line in errors if not line.startswith("rollcall:")]
        ranks.append({"status": status if in_time else "did not end", "printed": job.printed(rank), "errors": said})
    return ranks, notices


def compare(name, bare, watched, notices, files, expected_files, expected_notice):
    found = ["rank %d: %s is %r without the recorder, %r with it" % (rank, what, before[what], after[what])
             for rank, (before, after) in enumerate(zip(bare, watched)) for what in before if before[what] != after[what]]
    if not any(rank["printed"] or rank["errors"] for rank in bare):
        found.append("the job printed nothing: nothing was compared")
    if expected_files is not None and len(files) != expected_files:
        found.append("%d trace files, expected %d: %s" % (len(files), expected_files, files))
    if any(len(lines) > 1 for lines in notices):
        found.append("more than one notice in a process: %s" % notices)
    if any(notices) != expected_notice:
        found.append("notices on stderr: %s" % notices)
    return found


def untouched(warm, bare):
    """The warm process loaded the recorder and torch, and made no call."""
    found = []
    with open("/proc/%d/maps" % warm.process.pid) as maps:
        mapped = maps.read()
    if "librollcall.so" not in mapped:
        found.append("librollcall.so is not loaded")
    if ".rollcall" in mapped:
        found.append("a trace is mapped")
    threads = [len(os.listdir("/proc/%d/task" % one.process.pid)) for one in (warm, bare)]
    if threads[0] != threads[1]:
        found.append("%d threads, without the recorder %d" % tuple(threads))
    return found


def tell(name, found):
    print("%-5s %s" % ("FAIL" if found else "ok", name), flush=True)
    for complaint in found:
        print("      " + complaint, flush=True)
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()
    try:
        bare = warm_process.WarmProcess(arguments.python, None)
        warm = warm_process.WarmProcess(arguments.python, os.path.join(arguments.build, "interpose", "librollcall.so"))
    except warm_process.NoTorch as error:
        print("SKIPPED: %s cannot run PyTorch jobs: %s" % (arguments.python, error))
        return SKIPPED
    print("torch %s, %s" % (warm.torch, arguments.python), flush=True)
    root = tempfile.mkdtemp(prefix="rollcall-guest-")
    passed = True
    for name, program, place, expected_files, expected_notice in SITUATIONS:
        own = tempfile.mkdtemp(dir=root)
        try:
            with place(own) as folder:
                before, _ = outcome(bare, own, program, folder)
                after, notices = outcome(warm, own, program, folder)
                files = glob.glob(os.path.join(folder, "*.rollcall"))
        except Skip as reason:
            print("SKIPPED %s: %s" % (name, reason))
            continue
        passed = tell(name, compare(name, before, after, notices, files, expected_files, expected_notice)) and passed
    passed = tell("a process without collective calls, whose children record", untouched(warm, bare)) and passed
    warm.close()
    bare.close()
    shutil.rmtree(root)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
