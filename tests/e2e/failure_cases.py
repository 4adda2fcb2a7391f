"""The failures that people make with Gloo, one mistake a program: programs/failures/. Every one is a job of four processes; kind,
ranks and the user's lines are asserted for all, and how each ends with every release of torch is in the reference.

`lines`: rank -> (mark, function); a string of ranks stands for several.
"""

from job_case import ABORTED, FAILED, KILLED, Case


def failure(program, function, kind, ranks, lines, **more):
    by_rank = {int(rank): place for several, place in lines.items() for rank in several}
    return Case("%s: %s" % (program, function.replace("_", " ")), "failures/%s.py" % program, kind, ranks, lines=by_rank,
                arguments=(function,), **more)


def silent(program, function, kind, ranks, lines, **more):
    """All calls complete and all ranks end well: only the values are wrong."""
    return failure(program, function, kind, ranks, lines, statuses={rank: 0 for rank in range(4)}, **more)


ABSENT = [
    failure("absent", "barrier_exit_early", "early_exit", [3],
            {"3": ("exit", "barrier_exit_early"), "012": ("barrier", "barrier_exit_early")}, victims=[0, 1, 2],
            returned_early=True),
    failure("absent", "barrier_absent", "missing_rank", [3],
            {"3": ("sleep before the barrier", "barrier_absent"), "012": ("barrier with a sleeper", "barrier_absent")},
            victims=[0, 1, 2], statuses={3: KILLED}),
    failure("absent", "allreduce_absent", "missing_rank", [3],
            {"3": ("sleep before the allreduce", "allreduce_absent"), "012": ("allreduce with a sleeper", "allreduce_absent")},
            victims=[0, 1, 2], statuses={3: KILLED}),
    failure("absent", "monitored_absent", "missing_rank", [3],
            {"3": ("sleep before the monitored barrier", "monitored_absent"), "012": ("monitored barrier", "monitored_absent")},
            victims=[0, 1, 2], statuses={3: KILLED}),
    failure("absent", "killed", "killed", [3], {"012": ("allreduce of the survivors", "killed")}, victims=[0, 1, 2],
            statuses={3: KILLED}),
    failure("gradients", "one_step_less", "missing_rank", [3], {"3": ("sleep", "one_step_less"), "012": ("backward", "train")},
            victims=[0, 1, 2], statuses={3: KILLED}),
]
ORDERS = [
    failure("orders", "allreduce_and_broadcast", "skipped_call", [0], {"0": ("average", "average"), "123": ("share", "share")}),
    failure("orders", "allreduce_and_barrier", "op_mismatch", [0],
            {"0": ("average", "average"), "123": ("synchronize", "synchronize")}),
    failure("orders", "sizes_swapped", "arg_mismatch", [0], {"0": ("loss", "loss"), "123": ("accuracy", "accuracy")},
            argument="count"),
    silent("orders", "equal_sizes_swapped", "order_mismatch", [0], {"0": ("loss", "loss"), "123": ("accuracy", "accuracy")}),
    failure("orders", "one_more", "uneven_rounds", [1, 2, 3],
            {"0": ("average", "average"), "123": ("barrier after the loop", "one_more")}),
    failure("orders", "never_waited", "extra_call", [0],
            {"0": ("never waited", "never_waited"), "123": ("barrier after the asynchronous one", "never_waited")}),
    failure("orders", "groups_crossed", "deadlock_cycle", [0],
            {"0": ("first group", "groups_crossed"), "123": ("first group", "groups_crossed")}),
    silent("orders", "groups_crossed_async", None, [], {}, analysis_status=0),
]
ARGUMENTS = [
    failure("arguments", "smaller", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="count"),
    failure("arguments", "larger", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="count"),
    failure("arguments", "many", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="count"),
    failure("arguments", "one_element_less", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="count"),
    silent("arguments", "datatype_of_equal_size", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="datatype"),
    failure("arguments", "datatype_of_other_size", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="datatype"),
    silent("arguments", "reduce_operation", "arg_mismatch", [0], {"0123": ("average", "average")}, argument="redop"),
    failure("arguments", "broadcast_root", "arg_mismatch", [0, 1, 2, 3], {"0123": ("broadcast root", "broadcast_root")},
            argument="root"),
    silent("arguments", "reduce_root", "arg_mismatch", [0, 1, 2, 3], {"0123": ("reduce root", "reduce_root")},
           argument="root"),
    failure("arguments", "allgather_size", "arg_mismatch", [0], {"0123": ("allgather", "allgather_size")}, argument="count"),
    silent("arguments", "broadcast_from_less", "arg_mismatch", [0], {"0123": ("broadcast from less", "broadcast_from_less")},
           argument="count"),
    failure("arguments", "broadcast_from_more", "arg_mismatch", [0], {"0123": ("broadcast from more", "broadcast_from_more")},
            argument="count"),
    failure("arguments", "alltoall_size", "arg_mismatch", [0], {"0123": ("alltoall", "alltoall_size")}, argument="count"),
]
PAIRS = [
    failure("pairs", "receive_alone", "p2p_unmatched", [0, 1],
            {"0": ("sleep", "receive_alone"), "1": ("lonely receive", "receive_alone")}, statuses={0: KILLED, 2: 0, 3: 0}),
    failure("pairs", "other_tag", "p2p_mismatch", [0, 1], {"0": ("send", "exchange"), "1": ("receive", "exchange")}),
    failure("pairs", "sent_more", "p2p_mismatch", [0, 1], {"0": ("send", "exchange"), "1": ("receive", "exchange")},
            statuses={1: ABORTED}),
    silent("pairs", "sent_less", "p2p_mismatch", [0, 1], {"0": ("send", "exchange"), "1": ("receive", "exchange")}),
]
MODELS = [
    failure("gradients", "unused_layer", "early_exit", [0], {"0": ("step", "unused_layer"), "123": ("step", "unused_layer")},
            victims=[1, 2, 3], statuses={rank: FAILED for rank in range(4)}),
    failure("gradients", "other_shape", "arg_mismatch", [0], {"0123": ("wrap", "other_shape")}, argument="parameters",
            statuses={rank: FAILED for rank in range(4)}),
]
GROUPS = [
    failure("absent", "group_of_a_subset", "init_incomplete", [2, 3],
            {"01": ("new_group", "group_of_a_subset")}, victims=[0, 1], torch="1"),
    silent("absent", "group_of_a_subset", None, [], {}, analysis_status=0, torch="2"),
]
CASES = ABSENT + ORDERS + ARGUMENTS + PAIRS + MODELS + GROUPS
