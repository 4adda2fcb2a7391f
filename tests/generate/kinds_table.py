#!/usr/bin/env python3
"""Prints which kinds of finding were told right in this build, and in what: scenarios and recorded traces of traces/ (run now),
generated jobs, real runs over Gloo, runs over simnccl (what their tests left in BUILD/kinds).

  kinds_table.py --build BUILD_FOLDER
"""

import argparse
import collections
import os
import subprocess
import sys

SOURCE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.path.join(SOURCE_ROOT, "traces")
KINDS = (
    "duplicate_rank", "world_size", "init_incomplete", "duplicate_device", "aborted", "group_misuse", "uneven_rounds",
    "extra_call", "skipped_call", "order_mismatch", "arg_mismatch", "site_mismatch", "op_mismatch", "killed", "early_exit",
    "deadlock_cycle", "p2p_mismatch", "p2p_unmatched", "missing_rank", "late_rank", "device_stall", "all_entered",
    "env_mismatch", "no_gradient_sync", "double_gradient_sync")
COLUMNS = ("scenario", "generated", "gloo", "simnccl")
HEADINGS = ("scenario", "generated", "real Gloo", "simnccl")


def expected_kind(case):
    """Empty where several are right."""
    with open(os.path.join(TRACES, case, "expected.txt"), encoding="utf-8") as file:
        kinds = [line.split()[1] for line in file if line.startswith("kind ")]
    return kinds[0] if len(kinds) == 1 and "|" not in kinds[0] else ""


def count_corpus(command, counts):
    """Cases that pass; those without a scenario are recordings of real jobs."""
    ran = subprocess.run([command, "test", TRACES], stdout=subprocess.PIPE, universal_newlines=True, check=False)
    for line in ran.stdout.splitlines():
        words = line.split()
        if len(words) < 2 or words[0] != "ok":
            continue
        played = os.path.exists(os.path.join(TRACES, words[1], "scenario.txt"))
        counts["scenario" if played else "gloo"][expected_kind(words[1])] += 1


def count_left(folder, counts):
    """Files SOURCE or SOURCE.MORE, as the tests of a source leave them, with lines "KIND" or "KIND NUMBER"."""
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        column = name.partition(".")[0]
        if column not in COLUMNS:
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for line in file:
                kind, _, number = line.strip().partition(" ")
                counts[column][kind] += int(number or 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()
    counts = {column: collections.Counter() for column in COLUMNS}
    count_corpus(os.path.join(arguments.build, "tools", "rollcall", "rollcall"), counts)
    count_left(os.path.join(arguments.build, "kinds"), counts)
    print("%-22s%s" % ("kind", "".join("%11s" % heading for heading in HEADINGS)))
    for kind in KINDS:
        print("%-22s%s" % (kind, "".join("%11s" % (counts[column][kind] or "-") for column in COLUMNS)))
    unknown = sorted({kind for column in COLUMNS for kind in counts[column]} - set(KINDS) - {"", "none"})
    if unknown:
        print("kinds that the table does not list: " + ", ".join(unknown))
    if not counts["scenario"]:
        print("no case of %s passed" % TRACES)
    return 1 if unknown or not counts["scenario"] else 0


if __name__ == "__main__":
    sys.exit(main())
