"""The README's commands exist and mean what they say, in both languages.

  readme_test.py SOURCE_ROOT ROLLCALL SETTINGS_DEF
"""

import os
import pathlib
import re
import subprocess
import sys


def shell_lines(text):
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            line = line.split("  #")[0].strip()
            if line:
                yield line


def check_command(line, rollcall):
    words = line.split()[1:]
    arguments = words[1:words.index("--")] if "--" in words else words[1:]
    result = subprocess.run([rollcall, words[0], "--help"], stdout=subprocess.PIPE, text=True)
    assert result.returncode == 0, line
    for word in arguments:
        if re.match(r"--?[a-z]", word):
            assert re.search(r"(^|[\s,])%s\b" % re.escape(word.split("=")[0]), result.stdout), (line, word)


def check_readme(path, root, rollcall, settings):
    text = path.read_text(encoding="utf-8")
    lines = list(shell_lines(text))
    assert "tools/demo" in lines and "tools/test" in lines, path
    for line in lines:
        if line.startswith("rollcall "):
            check_command(line, rollcall)
        elif line.startswith("tools/"):
            assert os.access(root / line.split()[0], os.X_OK), line
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (root / link).exists(), "%s: %s is not there" % (path, link)
    for name in re.findall(r"ROLLCALL_[A-Z_]+", text):
        assert name in settings, "%s: %s is no setting" % (path, name)
    return lines


def main():
    root, rollcall = pathlib.Path(sys.argv[1]), sys.argv[2]
    settings = set(re.findall(r"^X\((\w+)", pathlib.Path(sys.argv[3]).read_text(), re.MULTILINE))
    english = check_readme(root / "README.md", root, rollcall, settings)
    chinese = check_readme(root / "README.zh-CN.md", root, rollcall, settings)
    assert english == chinese, "the two READMEs show different commands"


main()
