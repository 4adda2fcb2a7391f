"""Counts the calls in a trace file by the protobuf wire format alone: a witness that shares no code with reader or writer.
Field numbers: proto/trace.proto."""

import collections
import struct

TRACE_DEFINITIONS, TRACE_CALLS = 2, 3
SEGMENT_DEFINITION, DEFINITION_SHAPE, SHAPE_ID, SHAPE_OPERATION = 2, 1, 1, 2
CALLS_SHAPE, CALLS_COMPLETED = 4, 7


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field: bytes of a length-delimited one, else an integer."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire_type = tag & 7
        if wire_type == 0:
            value, at = varint(data, at)
        elif wire_type == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire_type == 5:
            value, at = struct.unpack_from("<I", data, at)[0], at + 4
        elif wire_type == 2:
            length, at = varint(data, at)
            if at + length > len(data):
                raise ValueError("a field of %d bytes passes the end of the file" % length)
            value, at = data[at:at + length], at + length
        else:
            raise ValueError("wire type %d at byte %d" % (wire_type, at))
        yield tag >> 3, value


def rows_by_operation(path):
    """Number of rows per Operation, those that are not completed too."""
    with open(path, "rb") as file:
        trace = file.read()
    operations, counts = {}, collections.Counter()
    blocks = []
    for number, value in fields(trace):
        if number == TRACE_DEFINITIONS:
            for inner, definition in fields(value):
                if inner == SEGMENT_DEFINITION:
                    for kind, shape in fields(definition):
                        if kind == DEFINITION_SHAPE:
                            known = dict(fields(shape))
                            operations[known[SHAPE_ID]] = known.get(SHAPE_OPERATION, 0)
        elif number == TRACE_CALLS:
            blocks.append(value)
    for block in blocks:
        for number, column in fields(block):
            if number == CALLS_SHAPE:
                counts.update(operations[shape] for shape in struct.unpack("<%dI" % (len(column) // 4), column) if shape)
    return counts
