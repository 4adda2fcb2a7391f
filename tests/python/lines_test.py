"""Line tables: of every code object of a dozen library modules, the instructions' lines equal the interpreter's own."""

import ctypes
import dis
import importlib.util
import sys
import types

import probe

MODULES = ["argparse", "ast", "asyncio.base_events", "dataclasses", "datetime", "decimal", "enum", "inspect", "json.decoder",
           "logging", "pickle", "typing"]
MINOR = sys.version_info[1]


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def lines_of(code):
    """{offset: line, 0 = none}"""
    lines = {}
    if MINOR >= 10:
        for start, end, line in code.co_lines():
            for offset in range(start, end, 2):
                lines[offset] = line or 0
    else:
        starts = dict(dis.findlinestarts(code))
        line = code.co_firstlineno
        for offset in range(0, len(code.co_code), 2):
            line = starts.get(offset, line)
            lines[offset] = line
    return lines


def some_of(lines):
    """Every instruction of ordinary functions; of long ones some: looking one up reads the table from its start."""
    step = 1 + len(lines) // 100
    return dict(list(lines.items())[::step])


def table_of(code):
    return code.co_linetable if MINOR >= 10 else code.co_lnotab


def is_same(code, table, lines):
    for offset, line in lines.items():
        got = probe.lib.probe_line(MINOR, code.co_firstlineno, table, len(table), offset)
        if got != line:
            print(code.co_filename, code.co_name, "offset", offset, "is line", line, "not", got)
            return False
    return True


long_function = "def f(n):\n" + "".join("  v%d = n + %d\n" % (i, i) for i in range(9000)) + "\n" * 5000 + "  return n\n"
sources = [compile(long_function, "long.py", "exec")]
for name in MODULES:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.origin and spec.origin.endswith(".py"):
        with open(spec.origin, encoding="utf-8") as file:
            sources.append(compile(file.read(), spec.origin, "exec"))

count = instructions = shortened = 0
for code in (c for source in sources for c in codes(source)):
    table, lines = table_of(code), some_of(lines_of(code))
    probe.require(is_same(code, table, lines), "the table as it is")
    count += 1
    instructions += len(lines)
    if MINOR < 10:
        continue
    short = ctypes.create_string_buffer(1 << 18)
    size = probe.lib.probe_shorten(MINOR, table, len(table), short, len(short))
    probe.require(is_same(code, short.raw[:size], lines), "the shortened table")
    shortened += 1
    # Cut anywhere: right or unknown, never wrong.
    size = probe.lib.probe_shorten(MINOR, table, len(table), short, max(1, size // 2))
    for offset, line in lines.items():
        got = probe.lib.probe_line(MINOR, code.co_firstlineno, short.raw[:size], size, offset)
        probe.require(got in (0, line), "a table that was cut makes %d of line %d" % (got, line))
probe.require(count > 500, "only %d code objects" % count)
print("%s: %d code objects, %d instructions, %d tables shortened" % (probe.version(), count, instructions, shortened))
