"""Starts warm_ranks.py under the Python that is tested, and runs jobs in it."""

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class NoTorch(Exception):
    """This Python cannot run the jobs; the text says why."""


def free_port():
    """A port for a store. Not one that the kernel picks: those it hands to the next connection, too, and the ranks of other
    jobs make hundreds of them before this one's store listens."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first_picked = int(file.read().split()[0])
    while True:
        port = random.SystemRandom().randrange(10000, max(first_picked, 20000))
        try:
            with socket.socket() as probe:
                probe.bind(("", port))
                return port
        except OSError:
            continue


def rank_environment(rank, world_size, port, directory):
    """What a launcher sets, and what keeps ranks on one small machine out of each other's way."""
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "LOCAL_WORLD_SIZE": str(world_size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "GLOO_SOCKET_IFNAME": "lo",
        "USE_LIBUV": "0",
        "ROLLCALL_DIR": os.path.join(directory, "trace"),
        "ROLLCALL_HANG_SECONDS": "1",
    }


class Job:
    """Ranks of one program: their process ids, exit statuses (None while they run) and what they printed."""

    def __init__(self, warm, directory, pids):
        self.warm, self.directory, self.pids = warm, directory, pids
        self.statuses = [None] * len(pids)

    @property
    def trace(self):
        return os.path.join(self.directory, "trace")

    def wait(self, seconds, ranks=None):
        """Whether the ranks (default: all) ended in time."""
        deadline = time.monotonic() + seconds
        ranks = range(len(self.pids)) if ranks is None else ranks
        while True:
            self.warm.update(self)
            if all(self.statuses[rank] is not None for rank in ranks):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)

    def kill(self):
        """What a launcher does with the ranks that are left, and with their children: a rank leads a session."""
        for pid, status in zip(self.pids, self.statuses):
            if status is None:
                try:
                    os.killpg(pid, signal.SIGKILL)
                except ProcessLookupError:  # forked, and not yet a leader
                    os.kill(pid, signal.SIGKILL)
        self.wait(30)

    def printed(self, rank, stream="output"):
        with open(os.path.join(self.directory, "%s.%d" % (stream, rank)), errors="replace") as file:
            return file.read()


class WarmProcess:
    """`preload` may be None: the same process without the recorder."""

    def __init__(self, python, preload, script=os.path.join(HERE, "warm_ranks.py")):
        environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONUNBUFFERED="1")
        for name in [name for name in environment if name.startswith("ROLLCALL_")]:
            del environment[name]
        if preload:
            environment["LD_PRELOAD"] = preload
        try:
            self.process = subprocess.Popen(
                [python, "-W", "ignore", script], env=environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True)  # a signal to our group must leave it the time to end its ranks
        except OSError as error:
            raise NoTorch(str(error))
        self.lock = threading.Lock()
        self.ended = {}
        hello = self.process.stdout.readline()
        if not hello:
            raise NoTorch(self.process.stderr.read().strip().split("\n")[-1])
        self.torch = json.loads(hello)["torch"]
        if not json.loads(hello)["distributed"]:
            raise NoTorch("torch %s without torch.distributed" % self.torch)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise RuntimeError("the warm process died: " + self.process.stderr.read())
        return json.loads(reply)

    def start(self, directory, program, ranks=4, world_size=None, arguments=(), environment=()):
        """directory: empty; gets output.N and error.N of each rank, and trace/."""
        port = free_port()
        requests = []
        for rank in range(ranks):
            settings = rank_environment(rank, world_size or ranks, port, directory)
            settings.update(environment)
            requests.append({"environment": settings, "output": os.path.join(directory, "output.%d" % rank),
                             "error": os.path.join(directory, "error.%d" % rank)})
        with self.lock:
            reply = self.ask({"do": "start", "program": program, "arguments": list(arguments),
                              "directory": directory, "ranks": requests})
        return Job(self, directory, reply["pids"])

    def update(self, job):
        with self.lock:
            self.ended.update({int(pid): status for pid, status in self.ask({"do": "poll"})["ended"].items()})
            for rank, pid in enumerate(job.pids):
                if job.statuses[rank] is None:
                    job.statuses[rank] = self.ended.pop(pid, None)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
