"""3,000 code objects made and thrown away one after the other, most at an address that was another's before: none is taken for it."""

import sys

import probe

addresses = set()
reused = 0


def check():
    global reused
    out = probe.buffer()
    size = len(out)
    probe.lib.probe_stack(out, size); want = probe.expected(sys._getframe())
    got, _ = probe.parse(out.value)
    probe.require(got == want, "captured %s, expected %s" % (got[:3], want[:3]))
    address = id(sys._getframe(1).f_code)
    reused += address in addresses
    addresses.add(address)


for i in range(3000):
    exec(compile("\n" * (i % 3) + "check()", "<cell %d>" % i, "exec"), {"check": check})
    # As torch.fx and dataclasses make them: one file name, one function name, different first lines.
    exec(compile("\n" * (i % 7) + "def f():\n  check()\nf()", "<string>", "exec"), {"check": check})
probe.require(reused > 300, "only %d addresses were reused: the test shows nothing" % reused)
print("%s: %d of 6000 code objects at an address that was another's, all right" % (probe.version(), reused))
