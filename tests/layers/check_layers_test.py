"""check_layers finds each kind of offence, and nothing in sources that keep the rules."""

import pathlib
import subprocess
import sys
import tempfile

OFFENCES = [
    ("interpose/a.cc", '#include "analyzer/model/job.h"\n', "interpose/a.cc includes analyzer/model/job.h"),
    ("analyzer/a.cc", '#include "interpose/core/recorder.h"\n', "analyzer/a.cc includes interpose/core/recorder.h"),
    ("interpose/a.cc", '#include "trace.pb.h"\n', "interpose/a.cc includes trace.pb.h"),
    ("analyzer/a.cc", '#include "tools/rollcall/command.h"\n', "analyzer/a.cc includes tools/rollcall/command.h"),
    ("interpose/a.cc", "#include <absl/strings/str_cat.h>\n", "in a guest"),
    ("interpose/a.cc", "#include <string>\n", "in a guest"),
    ("analyzer/align/a.cc", "#include <boost/graph/adjacency_list.hpp>\n", "outside analyzer/waits"),
]
KEPT = {
    "interpose/core/recorder.h": "#include <cstdint>\n",
    "interpose/core/recorder.cc": '#include "interpose/core/recorder.h"\n#include "proto/raw_layout.h"\n',
    "analyzer/model/job.h": '#include <string>\n#include "trace.pb.h"\n',
    "analyzer/waits/graph.cc": '#include <boost/graph/adjacency_list.hpp>\n#include "analyzer/model/job.h"\n',
    "tools/rollcall/command.h": '#include "analyzer/model/job.h"\n',
    "proto/raw_layout.h": "#include <stdint.h>\n",
}


def check(script, extra):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**KEPT, **extra}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, script, folder], stdout=subprocess.PIPE, text=True)
        return result.returncode, result.stdout


def main():
    assert check(sys.argv[1], {})[0] == 0
    for name, text, message in OFFENCES:
        status, output = check(sys.argv[1], {name: text})
        assert status == 1 and message in output, (name, text, output)


main()
