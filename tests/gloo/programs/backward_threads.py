"""Gradients that are reduced on threads without Python frames. A backward pass in a backward pass in ... goes on on a
thread of autograd's own beyond 60: there the buckets of DistributedDataParallel come from, and must still carry the
line of backward().

Argument: number of passes that run at the same time, each on a thread of its own: with more than one it is not known
whose the bucket is. Prints the line. Two ranks."""

import sys
import threading

import torch
from expected import begin, end

DEPTH = 60
begin()
torch.manual_seed(7)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))


class Deeper(torch.autograd.Function):
    """Its backward pass starts another one, `depth` times; the innermost is that of the model."""

    @staticmethod
    def forward(context, tensor, depth):
        context.depth = depth
        return tensor.clone()

    @staticmethod
    def backward(context, gradient):
        with torch.enable_grad():
            if context.depth > 0:
                Deeper.apply(torch.ones(1, requires_grad=True), context.depth - 1).sum().backward()
            else:
                model(torch.ones(2, 4)).sum().backward()
        return gradient, None


def train():
    print("backward", sys._getframe().f_lineno + 1)
    Deeper.apply(torch.ones(1, requires_grad=True), DEPTH).sum().backward()


def keep_busy(started, over):
    """A backward pass that lasts until the other one is over."""

    def wait(gradient):
        started.set()
        over.wait(30)

    weights = torch.ones(1, requires_grad=True)
    weights.register_hook(wait)
    weights.sum().backward()


def train_beside(count):
    over = threading.Event()
    threads = []
    for _ in range(count):
        started = threading.Event()
        threads.append(threading.Thread(target=keep_busy, args=(started, over)))
        threads[-1].start()
        started.wait(30)
    train()
    over.set()
    for thread in threads:
        thread.join()


train_beside(int(sys.argv[1]) - 1)
end()
