"""A process that imports torch once and forks the ranks of each job: a fraction of a second per job instead of seconds.

Runs under the Python that is tested, with librollcall.so in LD_PRELOAD. It makes no collective call itself, so the recorder
must leave it alone, and its children must record for themselves. Spoken to by warm_process.py: one JSON object a line on
stdin, one answer a line on stdout.

  {"do": "start", "program": path, "arguments": [...], "ranks": [{"environment": {...}, "output": path, "error": path}]}
      -> {"pids": [...]}
  {"do": "poll"}  -> {"ended": {pid: status}} since the last poll; negative status: number of the signal
"""

import json
import os
import runpy
import signal
import sys

ANSWERS = os.dup(1)
RUNNING = set()  # ranks that have not ended


def end_ranks():
    """Whoever asked is gone: so are the jobs, with their own children."""
    for pid in RUNNING:
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def answer(message):
    try:
        os.write(ANSWERS, (json.dumps(message) + "\n").encode())
    except BrokenPipeError:
        end_ranks()
        os._exit(1)


def redirect(path, descriptor, flags):
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, descriptor)
    os.close(opened)


def become_rank(request, rank):
    """In the child: from here on as if the program had been started by a launcher."""
    os.close(ANSWERS)
    os.setsid()
    write = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    redirect(os.devnull, 0, os.O_RDONLY)
    redirect(rank["output"], 1, write)
    redirect(rank["error"], 2, write)
    sys.stdin = open(0, closefd=False)
    os.environ.update(rank["environment"])
    os.chdir(request["directory"])
    sys.argv = [request["program"]] + request["arguments"]


def start(request):
    """Returns the request in a child, None in the parent."""
    pids = []
    for rank in request["ranks"]:
        pid = os.fork()
        if pid == 0:
            become_rank(request, rank)
            return request
        pids.append(pid)
        RUNNING.add(pid)
    answer({"pids": pids})
    return None


def poll():
    ended = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == 0:
            break
        RUNNING.discard(pid)
        ended[pid] = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    answer({"ended": ended})


def serve():
    """Returns in children with the request that made them, in the parent when nobody asks any more."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "poll":
            poll()
        elif start(request):
            return request
    end_ranks()
    return None


def warm_up():
    import torch
    import torch.distributed
    import torch.nn.parallel

    try:  # torch 2 imports it at the first DistributedDataParallel, for seconds
        import torch._dynamo
    except ImportError:
        pass
    answer({"torch": torch.__version__, "distributed": torch.distributed.is_available()})


# At module level and without `try`: an exception of a rank ends it as it would end a program.
warm_up()
CHILD = serve()
if CHILD:
    sys.path[0] = os.path.dirname(CHILD["program"])
    runpy.run_path(CHILD["program"], run_name="__main__")
