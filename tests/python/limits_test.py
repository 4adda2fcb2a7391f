"""More stacks than there is room for: what is new gets none and is counted, what is known keeps its id. The same text compiled
again and again is one code object."""

import probe

ids = []


def take():
    ids.append(probe.lib.probe_stack_id())


def run(name):
    exec(compile("take()", name, "exec"), {"take": take})


for _ in range(1000):
    run("<again>")
probe.require(len(set(ids)) == 1, "%d stacks of one text" % len(set(ids)))
known = ids[0]
codes = probe.lib.probe_count(0)
for i in range(70000):
    run("<cell %d>" % i)
probe.require(probe.lib.probe_count(0) > 65000 and probe.lib.probe_count(0) <= 65536, "%d code objects" % probe.lib.probe_count(0))
probe.require(ids[-1] == 0 and ids[2000] != 0, "ids at the limit: %d, %d" % (ids[2000], ids[-1]))
probe.require(int(probe.setting("python.stacks_lost")) >= 4096, "lost: " + probe.setting("python.stacks_lost"))
run("<again>")
probe.require(ids[-1] == known, "a known stack lost its id")
print("%s: %d code objects, then none" % (probe.version(), probe.lib.probe_count(0)))
