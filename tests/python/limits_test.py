"""More stacks than there is room for: what is new gets none and is counted, what is known keeps its id. The same text compiled
again and again is one code object."""

import probe

ids = []


def take():
    ids.append(probe.lib.probe_stack_id())


def run(name):
    exec(compile("take()", name, "exec"), {"take": take})


# All from one line: what is compared is the stack of one place.
for name in ["<again>"] * 1000 + ["<cell %d>" % i for i in range(70000)] + ["<again>"] * 1000:
    run(name)
again = set(ids[:1000])
# Until the interpreter has specialised the loop, the same call stands at another instruction.
probe.require(len(again) <= 4, "%d stacks of one text" % len(again))
codes = probe.lib.probe_count(0)
probe.require(65000 < codes <= 65536, "%d code objects" % codes)
probe.require(ids[3000] != 0 and ids[70000] == 0, "ids at the limit: %d, %d" % (ids[3000], ids[70000]))
probe.require(int(probe.setting("python.stacks_lost")) >= 4096, "lost: " + probe.setting("python.stacks_lost"))
probe.require(ids[-1] in again, "a known stack lost its id")
print("%s: %d code objects, then none" % (probe.version(), probe.lib.probe_count(0)))
