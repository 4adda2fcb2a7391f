#!/usr/bin/env python3
"""Records cases anew for traces/: small, from neutral paths and host names, with the expected.txt that follows from cases.py.
Look at the differences before you commit them.

  unshare --uts sh -c 'hostname node-a; tests/e2e/record_corpus.py --build BUILD_FOLDER --python /usr/bin/python3 -o traces'
"""

import argparse
import glob
import os
import shutil
import struct
import sys
import tempfile

import analysis
import cases
import run_cases
import trace_rows
import warm_process

PLACE = "/tmp/demo"  # where the programs seem to live
# folder -> (group, case)
RECORDED = {
    "early_return": ("ends", "clean exit before a barrier"),
    "killed": ("ends", "SIGKILL"),
    "missing_rank": ("absent", "a rank that sleeps elsewhere"),
    "wrong_datatype": ("mismatches", "another datatype of equal size, which goes wrong silently"),
}
GRID_START, GRID = 4096, 16384
FILE_KIB_AT = 2048 + 116  # RollcallState.file_kib of proto/raw_layout.h
EVENTS, CELLS, PAD, SEGMENT_EVENT, CELL_KIND = 6, 7, 15, 3, 4  # field numbers of proto/trace.proto


def used(block):
    """Whether a block of the grid holds anything."""
    for number, value in trace_rows.fields(block):
        if number == trace_rows.TRACE_CALLS:
            return any(any(column) for inner, column in trace_rows.fields(value) if inner == trace_rows.CALLS_SHAPE)
        if number == CELLS:
            return any(any(column) for inner, column in trace_rows.fields(value) if inner == CELL_KIND)
        if number == EVENTS:
            return any(inner == SEGMENT_EVENT for inner, _ in trace_rows.fields(value))
        if number != PAD:
            return True
    return False


def trim(source, copy):
    """Leaves out the blocks without contents (no block knows where in the file it lies) and says so in the state page, else
    the copy would count as cut off. Returns the size."""
    with open(source, "rb") as file:
        data = file.read()
    blocks = [data[start:start + GRID] for start in range(GRID_START, len(data) - GRID + 1, GRID)]
    kept = b"".join(filter(used, blocks))
    header = bytearray(data[:GRID_START])
    struct.pack_into("<I", header, FILE_KIB_AT, (GRID_START + len(kept)) >> 10)
    with open(copy, "wb") as file:
        return file.write(bytes(header) + kept)


def expectation(case, torch):
    lines = ["# recorded with torch %s; %s" % (torch, case.name), "kind " + case.kinds()[0],
             "ranks " + ",".join(map(str, case.ranks)), "exit %d" % case.analysis_status]
    if case.victims is not None:
        lines.append("victims " + ",".join(map(str, case.victims)))
    if case.returned_early is not None:
        lines.append("returned_early " + str(case.returned_early).lower())
    if case.argument:
        lines.append("argument " + case.argument)
    lines += ["site %d %s:%d %s" % (rank, case.program, analysis.line_of(case.program, mark), function)
              for rank, (mark, function) in sorted(case.lines.items())]
    lines += ["text " + text for text in case.text]
    return "\n".join(lines) + "\n"


def record(case, warm, command, output, stacks):
    folder = tempfile.mkdtemp(dir=PLACE)
    shutil.copy(os.path.join(analysis.PROGRAMS, case.program), PLACE)
    job = warm.start(folder, os.path.join(PLACE, case.program), case.processes, case.world_size, case.arguments,
                     {"STEPS": "20", "GROUP_TIMEOUT": "5", "ROLLCALL_MAX_MB": "1", "ROLLCALL_STACKS": stacks})
    result = run_cases.settle(job, case, command)
    found = analysis.differences(case, case.program, result)
    if found:
        raise SystemExit("%s: %s" % (case.name, found))
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    for path in sorted(glob.glob(os.path.join(job.trace, "*.rollcall"))):
        copy = os.path.join(output, os.path.basename(path))
        print("%s: %d KiB" % (copy, trim(path, copy) >> 10))
    with open(os.path.join(output, "expected.txt"), "w") as file:
        file.write(expectation(case, warm.torch))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("folders", nargs="*", help="of " + ", ".join(RECORDED))
    arguments = parser.parse_args()
    shutil.rmtree(PLACE, ignore_errors=True)
    os.makedirs(PLACE)
    library = shutil.copy(os.path.join(arguments.build, "interpose", "librollcall.so"), PLACE)
    script = shutil.copy(os.path.join(warm_process.HERE, "warm_ranks.py"), PLACE)
    warm = warm_process.WarmProcess(arguments.python, library, script)
    command = os.path.join(arguments.build, "tools", "rollcall", "rollcall")
    for name in arguments.folders or RECORDED:
        group, title = RECORDED[name]
        case = next(case for case in cases.GROUPS[group] if case.name == title)
        # The module table of native stacks is a third of such a trace: one case has it.
        stacks = "python,native" if name == "early_return" else "python"
        record(case, warm, command, os.path.join(arguments.output, name), stacks)
    warm.close()
    shutil.rmtree(PLACE)


if __name__ == "__main__":
    sys.exit(main())
