"""Runs `rollcall analyze` and compares the report with what a case expects."""

import json
import os
import re
import subprocess

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def line_of(program, name):
    """The line of PROGRAM marked `# LINE: name`."""
    with open(os.path.join(PROGRAMS, program)) as file:
        lines = [number for number, text in enumerate(file, 1) if re.search(r"# LINE: %s$" % name, text.rstrip())]
    if len(lines) != 1:
        raise ValueError("%s: %d lines are marked '%s'" % (program, len(lines), name))
    return lines[0]


class Analysis:
    def __init__(self, command, folder):
        done = subprocess.run([command, "analyze", "--json", "-", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.status, self.errors = done.returncode, done.stderr
        try:
            self.report = json.loads(done.stdout)
        except ValueError:
            self.report = {"verdict": "no report: " + done.stdout + done.stderr, "findings": [], "inputs": [], "limits": []}

    @property
    def first(self):
        return self.report["findings"][0] if self.report["findings"] else None

    def sites(self):
        """(file, line, function) of the primary finding by rank."""
        return {site["rank"]: (os.path.basename(site["file"]), site["line"], site["function"])
                for site in (self.first or {"sites": []})["sites"]}


def differences(case, program, analysis):
    """What the report says otherwise than the case expects, a sentence each."""
    found = []

    def expect(what, expected, got):
        if got != expected:
            found.append("%s: expected %r, got %r" % (what, expected, got))

    expect("exit status of analyze", case.analysis_status, analysis.status)
    first = analysis.first
    if case.kind is None:
        expect("verdict", [], [finding["message"] for finding in analysis.report["findings"]])
        return found
    if first is None:
        return found + ["no finding; verdict: " + analysis.report["verdict"]]
    if first["kind"] not in case.kinds():
        found.append("kind: expected %s, got %s" % (" or ".join(case.kinds()), first["kind"]))
    expect("ranks", case.ranks, first["ranks"])
    if case.victims is not None:
        expect("victims", case.victims, first["victims"])
    if case.returned_early is not None:
        expect("returned_early", case.returned_early, first["returned_early"])
    expect("argument", case.argument, first["argument"])
    sites = analysis.sites()
    for rank, (name, function) in case.lines.items():
        expect("site of rank %d" % rank, (os.path.basename(program), line_of(program, name), function), sites.get(rank))
    text = " ".join([first["message"], *first["why"]])
    for part in case.text:
        if part not in text:
            found.append("message: '%s' is not in: %s" % (part, text))
    return found
