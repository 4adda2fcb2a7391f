"""Calls that are made for the user by others: hooks, functions of autograd, coroutines, threads, handles. Each must
carry the line of the user that made it, or that started the backward pass. Two ranks."""

import asyncio
import sys
import threading

import torch
import torch.distributed as dist
from expected import begin, end, expect

begin()
position = 0


def next_line(count, qualified=""):
    """An all-reduce follows on the line below; names of functions are qualified since Python 3.11."""
    global position
    frame = sys._getframe(1)
    function = qualified if qualified and sys.version_info >= (3, 11) else frame.f_code.co_name
    expect("allreduce", lines=None, line=frame.f_lineno + 1, function=function, count=count, position=position, group=0)
    position += 1


def asynchronous():
    next_line(1)
    work = dist.all_reduce(torch.ones(1), async_op=True)
    work.wait()


class Average(torch.autograd.Function):
    @staticmethod
    def forward(context, tensor):
        next_line(2, "Average.forward")
        dist.all_reduce(tensor.clone())
        return tensor * 2

    @staticmethod
    def backward(context, gradient):
        next_line(2, "Average.backward")
        dist.all_reduce(gradient.clone())
        return gradient


def autograd_function():
    Average.apply(torch.ones(2, requires_grad=True)).sum().backward()


def tensor_hook():
    def hook(gradient):
        next_line(3, "tensor_hook.<locals>.hook")
        dist.all_reduce(gradient.clone())

    weights = torch.ones(3, requires_grad=True)
    weights.register_hook(hook)
    weights.sum().backward()


def other_thread():
    def work():
        next_line(4, "other_thread.<locals>.work")
        dist.all_reduce(torch.ones(4))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


async def coroutine():
    await asyncio.sleep(0)
    next_line(5)
    dist.all_reduce(torch.ones(5))


def generator():
    next_line(6)
    yield dist.all_reduce(torch.ones(6))


def callback():
    """Of the future of a call: on a thread of the group, or on ours when it is done already."""
    future = torch.futures.Future()
    future.set_result(None)

    def then(_):
        next_line(7, "callback.<locals>.then")
        dist.all_reduce(torch.ones(7))

    future.then(then).wait()


def executed():
    code = "next_line(8)\ndist.all_reduce(torch.ones(8))\n"
    exec(compile(code, "cell", "exec"), dict(globals()))


asynchronous()
autograd_function()
tensor_hook()
other_thread()
asyncio.run(coroutine())
list(generator())
callback()
executed()
end()
