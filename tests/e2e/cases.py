"""The cases: a program with a mistake, and what the job and the analysis of its trace must be like.

Group timeouts are 5 s, so that ranks that wait end by themselves with an error of the library; a rank that does not end is
killed after that. `live`: the trace is analysed while the job hangs.
"""

import failure_cases
from job_case import FAILED, KILLED, Case


def others(rank, status):
    return {other: status for other in range(4) if other != rank}


def lines(odd, mark, function, others_mark, others_function):
    result = {rank: (others_mark, others_function) for rank in range(4) if rank != odd}
    result[odd] = (mark, function)
    return result


GROUPS = {
    "ends": [
        Case("clean exit before a barrier", "early_return.py", "early_exit", [2], [0, 1, 3], True,
             lines=lines(2, "last", "main", "barrier", "main"), statuses={2: 0, **others(2, FAILED)},
             text=("returned early", "main()")),
        Case("return from validate() before an all_reduce", "early_return_validate.py", "early_exit", [2], [0, 1, 3], True,
             lines=lines(2, "count", "validate", "error", "validate"), statuses={2: 0, **others(2, FAILED)},
             text=("returned early", "validate()")),
        Case("uncaught exception", "exception.py", "early_exit", [1], [0, 2, 3],
             lines=lines(1, "raise", "load", "backward", "train"), statuses={rank: FAILED for rank in range(4)},
             text=("ValueError: bad sample 17",)),
        Case("os._exit(3)", "quick_exit.py", "early_exit", [3], [0, 1, 2],
             lines=lines(3, "exit", "main", "all_reduce", "step"), statuses={3: 3, **others(3, FAILED)}),
        Case("SIGKILL", "killed.py", "killed", [2], [0, 1, 3], lines={rank: ("backward", "train") for rank in (0, 1, 3)},
             statuses={2: KILLED, **others(2, FAILED)}),
        Case("one batch less on one rank, which ends", "uneven_steps.py", ("early_exit", "uneven_rounds"), [3], [0, 1, 2],
             True, lines={rank: ("backward", "train") for rank in (0, 1, 2)}, statuses={3: 0, **others(3, FAILED)}),
        Case("a rank leaves a sharded model", "sharded.py", "early_exit", [3], [0, 1, 2], True, arguments=("leaves",),
             lines=lines(3, "exit", "main", "forward", "main"), text=("FSDP all-gather",), torch="2"),
    ],
    "absent": [
        Case("a rank that sleeps elsewhere", "sleeper.py", "missing_rank", [1], [0, 2, 3],
             lines=lines(1, "sleep", "wait_for_file", "barrier", "main"), statuses={1: KILLED, **others(1, FAILED)}),
        Case("a barrier under `if rank == 0`", "rank_zero_barrier.py", ("extra_call", "op_mismatch"), [0],
             lines=lines(0, "barrier", "save", "backward", "train"), statuses=others(0, FAILED), steps=200),
        Case("WORLD_SIZE one too large", "rendezvous.py", "init_incomplete", [4], processes=4, world_size=5,
             lines={rank: ("init", "main") for rank in range(4)}, statuses={rank: FAILED for rank in range(4)}),
    ],
    "mismatches": [
        Case("another operation", "wrong_operation.py", "op_mismatch", [0],
             lines=lines(0, "broadcast", "main", "all_reduce", "main"), text=("broadcast", "allreduce")),
        Case("another size", "wrong_argument.py", "arg_mismatch", [3], argument="count", arguments=("size", "3"),
             lines={rank: ("size", "synchronize") for rank in range(4)}, text=("1001", "1000")),
        Case("another root", "wrong_argument.py", "arg_mismatch", [3], argument="root", arguments=("root", "3"),
             lines={rank: ("root", "synchronize") for rank in range(4)}),
        Case("another datatype of equal size, which goes wrong silently", "wrong_argument.py", "arg_mismatch", [1],
             argument="datatype", arguments=("dtype", "1"), lines={rank: ("dtype", "synchronize") for rank in range(4)},
             statuses={rank: 0 for rank in range(4)}, text=("i32", "f32")),
        Case("MAX on one rank, which goes wrong silently", "wrong_argument.py", "arg_mismatch", [2], argument="redop",
             arguments=("redop", "2"), lines={rank: ("redop", "synchronize") for rank in range(4)},
             statuses={rank: 0 for rank in range(4)}, text=("max", "sum")),
    ],
    "correct": [
        Case("a correct job", "correct.py", None, analysis_status=0, statuses={rank: 0 for rank in range(4)}, steps=100),
        Case("every operation, correctly", "every_operation.py", None, analysis_status=0,
             statuses={rank: 0 for rank in range(4)}),
        Case("groups of one name on other ranks", "one_name.py", None, analysis_status=0,
             statuses={rank: 0 for rank in range(4)}),
        Case("a sharded model", "sharded.py", None, analysis_status=0, statuses={rank: 0 for rank in range(4)}, torch="2"),
    ],
    "live": [
        Case("a rank that sleeps, while the job hangs", "sleeper.py", "missing_rank", [1], [0, 2, 3], live=True,
             lines=lines(1, "sleep", "wait_for_file", "barrier", "main")),
        Case("another operation, while the job hangs", "wrong_operation.py", "op_mismatch", [0], live=True,
             lines=lines(0, "broadcast", "main", "all_reduce", "main")),
        Case("WORLD_SIZE one too large, while the job hangs", "rendezvous.py", "init_incomplete", [4], world_size=5,
             live=True, lines={rank: ("init", "main") for rank in range(4)}),
    ],
    "failures": failure_cases.CASES,
}
