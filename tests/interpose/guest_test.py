"""Programs that make no collective call do not notice the recorder: same output, same status, no file, no thread."""
import os
import unittest

from recorded_process import LIBROLLCALL, PROGRAMS, RecordedProcessTest, pythons

# Each runs in a folder with the files that setUp makes. Their output is the same every time.
COMMANDS = {
    "ls": "ls -la --time-style=+ .",
    "bash with pipes": "cat lines | sort -r | uniq | head -3 | tr a-z A-Z",
    "bash with a failing pipe": "set -o pipefail; false | cat; echo $?; (exit 9) & wait $!; echo $?",
    "bash with traps": "trap 'echo trapped' TERM; kill -TERM $$; echo end; exit 6",
    "sh": "sh -c 'echo hello; exit 4'",
    "sh that kills itself": "sh -c 'kill -TERM $$'",
    "sh that aborts": "sh -c 'kill -ABRT $$'",
    "perl": "perl -e 'my $pid = fork(); if (!$pid) { exit 3 } waitpid($pid, 0); print $? >> 8, \"\\n\"; exec \"echo\", \"exec\"'",
    "perl that dies": "perl -e 'die qq(no\\n)'",
    "git": "git init -q repository && cd repository && git -c user.name=a -c user.email=b commit -q --allow-empty -m first "
           "&& git log --format=%s && rm -rf ../repository",
    "gcc": "printf 'int main(void) { return 11; }' > program.c && gcc program.c -o program && ./program; echo $?",
    "gcc with an error": "printf 'int main(void) { return x; }' > program.c; gcc program.c -o program",
    "make": "printf 'all: a b\\na b:\\n\\t@echo $@\\n' > Makefile && make -s -j2 -O all | sort; make -s none",
    "tar": "tar cf archive.tar lines empty && tar tf archive.tar && rm archive.tar",
    "gzip": "gzip -nc lines | gzip -dc | cmp - lines && echo equal",
    "find": "find . -name 'l*' -exec wc -l {} +",
    "xargs": "seq 20 | xargs -P 4 -n 1 echo | sort -n | tail -2",
    "grep": "grep -c e lines; grep nothing lines",
    "sort": "sort --parallel=2 -S 1M lines",
    "awk": "awk '{ n += length($0) } END { print n; exit 5 }' lines",
    "sed": "sed -n '2,3s/a/b/p' lines",
    "date": "date -u -d @0",
    "env": "env -i NAME=value env",
    "dd": "dd if=/dev/zero bs=1 count=10 status=none | od -c",
    "cmp": "cmp lines empty",
    "timeout": "timeout 0.1 sleep 10; echo $?; timeout -s INT 0.1 sleep 10; echo $?",
    "nice": "nice -n 1 true; nohup echo x 2>&1; setsid -w sh -c 'exit 3'; echo $?",
    "passwd": "passwd --help",
    "mount": "mount --version",
    "missing program": "no-such-program-anywhere",
    "python": "{python} -c 'import os, sys; print(os.getppid() > 0, sys.excepthook is sys.__excepthook__); sys.exit(3)'",
    "python that fails": "{python} -c 'raise ValueError(1)'",
    "python with threads": "{python} -c 'import threading; t = threading.Thread(target=print, args=(1,)); t.start(); t.join()'",
    "python with workers": "{python} -c 'import multiprocessing as m; p = m.get_context(\"fork\").Pool(2); print(p.map(abs, [-1, 2]));"
                           " p.close(); p.join()'",
    "python with a missing program": "{python} -c 'import subprocess; subprocess.run([\"/no/such/program\"])'",
    "python that leaves": "{python} -c 'import os; print(1, flush=True); os._exit(7)'",
    "python that aborts": "{python} -c 'import os; os.abort()'",
    "static program": "{programs}/static_program; echo $?",
    "program that ends quickly": "{programs}/ends_without_python quick",
    "program that vforks": "{programs}/ends_without_python vfork",
    "program that spawns": "{programs}/ends_without_python spawn",
    "program that forks": "{programs}/ends_without_python forks",
    "program that faults": "{programs}/ends_without_python fault",
    "allocations, threads, descriptors": "{programs}/quiet_program",
}
MISSING = 127


class GuestTest(RecordedProcessTest):

    def setUp(self):
        super().setUp()
        with open(os.path.join(self.work, "lines"), "w", encoding="utf-8") as file:
            file.write("delta\nalpha\nalpha\ncharlie\nbravo\n")
        open(os.path.join(self.work, "empty"), "w", encoding="utf-8").close()

    # Both have a library preloaded, so that the environment of children is the same: libc itself, which changes nothing.
    def run_in_bash(self, command, preload):
        return self.run_program(["bash", "-c", command], preload, HOME=self.work)

    def test_programs_do_not_notice(self):
        programs_run = 0
        for name, template in COMMANDS.items():
            command = template.replace("{python}", pythons()[0]).replace("{programs}", PROGRAMS)
            with self.subTest(program=name):
                plain = self.run_in_bash(command, "libc.so.6")
                shimmed = self.run_in_bash(command, LIBROLLCALL)
                self.assertEqual(shimmed, plain)
                self.assertEqual(os.listdir(self.traces), [], "no trace")
                self.assertEqual(os.listdir(self.temporary), [], "no other file")
                programs_run += plain.status != MISSING
        self.assertGreaterEqual(programs_run, 30)

    def test_the_library_prints_nothing_when_its_folder_cannot_be_made(self):
        plain = self.run_in_bash("ls; exit 3", "libc.so.6")
        shimmed = self.run_program(["bash", "-c", "ls; exit 3"], LIBROLLCALL, HOME=self.work, ROLLCALL_DIR="/proc/no")
        self.assertEqual(shimmed, plain)

    def test_a_process_without_calls_has_one_thread(self):
        process = self.start_program(["sh", "-c", "echo ready; read never < fifo"], LIBROLLCALL)
        os.mkfifo(os.path.join(self.work, "fifo"))
        process.stdout.readline()
        self.assertEqual(os.listdir("/proc/%d/task" % process.pid), [str(process.pid)])


if __name__ == "__main__":
    unittest.main()
