#!/usr/bin/env python3
"""Analyses every folder of recorded traces and compares the report with its expected.txt.

  check_corpus.py --build BUILD_FOLDER [FOLDER...]

expected.txt, one statement a line: `kind WORD` (or `kind none`), `ranks 2,3`, `victims 0,1`, `argument WORD`,
`returned_early true`, `site RANK FILE:LINE FUNCTION`, `exit STATUS`, `text WORDS` (in message or why); `#` starts a comment.
"""

import argparse
import os
import sys

import analysis

TRACES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "traces")


def numbers(text):
    return [int(number) for number in text.split(",")] if text != "none" else []


def complaint(word, rest, result):
    """What contradicts the statement, or None."""
    first = result.first or {"kind": "none", "ranks": [], "victims": [], "argument": "", "returned_early": False,
                             "message": "", "why": []}
    if word == "kind":
        expected, got = rest, first["kind"]
    elif word in ("ranks", "victims"):
        expected, got = numbers(rest), first[word]
    elif word == "argument":
        expected, got = rest, first["argument"]
    elif word == "returned_early":
        expected, got = rest, str(first["returned_early"]).lower()
    elif word == "exit":
        expected, got = int(rest), result.status
    elif word == "text":
        expected, got = True, rest in " ".join([first["message"], *first["why"]])
    elif word == "site":
        rank, place, function = rest.split(None, 2)
        expected, got = (place, function), result.sites().get(int(rank))
        got = got and ("%s:%d" % got[:2], got[2])
    else:
        raise ValueError("expected.txt: unknown statement '%s'" % word)
    return None if expected == got else "%s: expected %s, got %s" % (word, rest if word == "text" else expected, got)


def statements(path):
    with open(path) as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line:
                yield line.partition(" ")[::2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("folders", nargs="*")
    arguments = parser.parse_args()
    folders = arguments.folders or sorted(
        entry.path for entry in os.scandir(TRACES) if os.path.exists(os.path.join(entry.path, "expected.txt")))
    bad = 0
    for folder in folders:
        result = analysis.Analysis(os.path.join(arguments.build, "tools", "rollcall", "rollcall"), folder)
        found = list(filter(None, (complaint(word, rest.strip(), result)
                                   for word, rest in statements(os.path.join(folder, "expected.txt")))))
        print("%-5s %-28s %s" % ("FAIL" if found else "ok", os.path.basename(folder), result.report["verdict"]))
        for text in found:
            print("      " + text)
        bad += bool(found)
    if not folders:
        print("no folder with an expected.txt")
    return 1 if bad or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
