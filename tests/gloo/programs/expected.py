"""Says what a program is about to call, one line a call, for the test that reads the trace; and where: the line that calls."""

import datetime
import os
import sys
import time

import torch
import torch.distributed as dist

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
TORCH = tuple(int(part) for part in torch.__version__.split("+")[0].replace("a0", "").split(".")[:2])
TIMEOUT = datetime.timedelta(seconds=40)
DATATYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.int64: "i64", torch.int32: "i32",
             torch.int8: "i8", torch.uint8: "u8", torch.bfloat16: "bf16", torch.bool: "bool", torch.int16: "i16"}


def expect(operation, lines=1, **values):
    """The call is made `lines` below the line that calls this; lines=None: not said."""
    frame = sys._getframe(1)
    if lines is not None:
        values.setdefault("line", frame.f_lineno + lines)
        values.setdefault("function", frame.f_code.co_name)
    values.setdefault("state", "completed")
    print("call operation=%s %s" % (operation, " ".join("%s=%s" % item for item in values.items())), flush=True)


def tensor_facts(tensor):
    return {"count": tensor.numel(), "datatype": DATATYPES[tensor.dtype], "bytes": tensor.element_size(),
            "dimensions": "x".join(str(size) for size in tensor.shape)}


def begin():
    expect("rendezvous", lines=3, count=SIZE, timeout=40000, library="TCPStore")
    expect("init", lines=2, count=SIZE, size=SIZE, rank=RANK, group=0, timeout=40000)
    # One line, so that both lines above name it.
    dist.init_process_group("gloo", timeout=TIMEOUT)


def end():
    """Workers drop the tensors of their last calls while this waits without the GIL: one that still wants it when Python ends
    aborts the process (pytorch#190489)."""
    time.sleep(0.2)
    dist.destroy_process_group()
