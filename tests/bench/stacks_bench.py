"""What a call's stacks cost when they are known already: ns per capture at two depths, beside glibc's backtrace() and a walk that
takes the GIL. Budget: both stacks well below 1 us."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import probe  # noqa: E402

KINDS = ["python", "native", "both", "backtrace()", "with the GIL"]


def at(depth, kind):
    if depth > 0:
        return at(depth - 1, kind)
    return probe.lib.probe_bench(kind, 100000 if kind < 3 else 5000)


print("CPython %s, ns per capture, best of five" % probe.version())
for depth in (10, 30):
    frames = 3  # module, the expression below, and probe_bench's caller
    costs = [at(depth - frames, kind) for kind in range(len(KINDS))]
    print("depth %d: %s" % (depth, ", ".join("%s %s" % (kind, "%.0f" % cost if cost else "-") for kind, cost in zip(KINDS, costs))))
