#!/usr/bin/env python3
"""Which CPythons the tests of this folder ran with, from the log of the last ctest run: interpreters_table.py BUILD_FOLDER"""

import os
import re
import sys

ENTRY = re.compile(r"^\d+/\d+ Test: python (\S+): (\w+)(, long)?$(.*?)^Test (Passed|Failed)", re.S | re.M)


def main():
    with open(os.path.join(sys.argv[1], "Testing", "Temporary", "LastTest.log"), encoding="utf-8", errors="replace") as file:
        log = file.read()
    table, said = {}, {}
    for interpreter, program, is_long, output, result in ENTRY.findall(log):
        column = program + (" (long)" if is_long else "")
        skipped = "SKIPPED" in output
        table.setdefault(interpreter, {})[column] = "skipped" if skipped else "ok" if result == "Passed" else "FAILED"
        if program in ("frames", "callbacks"):
            for kinds in re.findall(r"(\d+) kinds of frame", output):
                said[interpreter] = said.get(interpreter, 0) + int(kinds)
    columns = [name for name in dict.fromkeys(column for row in table.values() for column in row) if name != "limits"]
    print("| CPython | kinds of frame | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for interpreter in sorted(table, key=lambda name: [int(part) for part in re.findall(r"\d+", name)]):
        row = table[interpreter]
        print("| %s | %s | %s |" % (interpreter, said.get(interpreter, "-"), " | ".join(row.get(name, "-") for name in columns)))
    return 0 if table and not any("FAILED" in row.values() for row in table.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
