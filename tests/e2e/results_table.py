#!/usr/bin/env python3
"""Prints what was found in each case of a group under each PyTorch on which it ran in this build: what run_cases.py left in
BUILD/results. Exit status 1 when one of them failed.

  results_table.py --build BUILD_FOLDER GROUP
"""

import argparse
import os
import sys


def read(folder, group):
    """torch -> case -> outcome, and the cases in their order."""
    results, names = {}, []
    for file_name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        of_group, _, torch = file_name.partition(".")
        if of_group != group:
            continue
        with open(os.path.join(folder, file_name), encoding="utf-8") as file:
            results[torch] = dict(line.rstrip("\n").split("\t") for line in file)
        names += [name for name in results[torch] if name not in names]
    return results, names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("group")
    arguments = parser.parse_args()
    results, names = read(os.path.join(arguments.build, "results"), arguments.group)
    width = max(map(len, names), default=0)
    print("  ".join(["%-*s" % (width, arguments.group)] + ["%-16s" % torch for torch in results]).rstrip())
    for name in names:
        print("  ".join(["%-*s" % (width, name)] + ["%-16s" % results[torch].get(name, "-") for torch in results]).rstrip())
    return 1 if any("FAILED" in of_torch.values() for of_torch in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
