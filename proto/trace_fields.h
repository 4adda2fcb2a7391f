/* Field numbers and enum values of trace.proto for writers and readers without libprotobuf. C, no includes. tests/proto checks
   every name and number here against the schema's descriptor. Lists are X-macros so that the test can walk them. */
#ifndef ROLLCALL_PROTO_TRACE_FIELDS_H_
#define ROLLCALL_PROTO_TRACE_FIELDS_H_

#define ROLLCALL_FORMAT_VERSION 1

/* X(message, field, number): message and field as spelt in trace.proto. */
#define ROLLCALL_TRACE_FIELDS(X)       \
  X(Trace, header, 1)                  \
  X(Trace, definitions, 2)             \
  X(Trace, calls, 3)                   \
  X(Trace, checkpoints, 4)             \
  X(Trace, progress, 5)                \
  X(Trace, events, 6)                  \
  X(Trace, cells, 7)                   \
  X(Trace, pad, 15)                    \
  X(Header, version, 1)                \
  X(Header, block_bytes, 2)            \
  X(Header, rows, 3)                   \
  X(Header, monotonic_ns, 4)           \
  X(Header, realtime_ns, 5)            \
  X(Header, pid, 6)                    \
  X(Header, host, 7)                   \
  X(Header, multiplier, 8)             \
  X(Header, start_ticks, 9)            \
  X(Header, boot_id, 10)               \
  X(Header, cell_rows, 11)             \
  X(Header, state, 13)                 \
  X(Segment, sequence, 1)              \
  X(Segment, definition, 2)            \
  X(Segment, event, 3)                 \
  X(Segment, sequence_check, 14)       \
  X(Segment, pad, 15)                  \
  X(Definition, shape, 1)              \
  X(Definition, communicator, 2)       \
  X(Definition, code, 3)               \
  X(Definition, python_stack, 4)       \
  X(Definition, native_stack, 5)       \
  X(Definition, module, 6)             \
  X(Definition, setting, 7)            \
  X(Definition, thread, 8)             \
  X(Definition, lane, 9)               \
  X(CallShape, id, 1)                  \
  X(CallShape, operation, 2)           \
  X(CallShape, datatype, 3)            \
  X(CallShape, redop, 4)               \
  X(CallShape, root, 5)                \
  X(CallShape, peer, 6)                \
  X(CallShape, count, 7)               \
  X(CallShape, communicator, 8)        \
  X(CallShape, python_stack, 9)        \
  X(CallShape, native_stack, 10)       \
  X(CallShape, initiator, 11)          \
  X(CallShape, thread, 12)             \
  X(CallShape, tag, 13)                \
  X(CallShape, fingerprint, 14)        \
  X(CallShape, element_bytes, 16)      \
  X(CallShape, flags, 17)              \
  X(CallShape, dimensions, 18)         \
  X(CallShape, input_splits, 19)       \
  X(CallShape, output_splits, 20)      \
  X(CallShape, timeout_ms, 21)         \
  X(CallShape, redop_function, 22)     \
  X(CallShape, lane, 23)               \
  X(CallShape, tensors, 24)            \
  X(CallShape, variable, 25)           \
  X(CallShape, library_name, 26)       \
  X(CallShape, stream, 27)             \
  X(CallShape, excluded, 28)           \
  X(Communicator, id, 1)               \
  X(Communicator, parent, 2)           \
  X(Communicator, rank, 3)             \
  X(Communicator, size, 4)             \
  X(Communicator, digest, 5)           \
  X(Communicator, occurrence, 6)       \
  X(Communicator, store_path, 7)       \
  X(Communicator, name, 8)             \
  X(Communicator, library, 9)          \
  X(Communicator, timeout_ms, 10)      \
  X(Communicator, flags, 11)           \
  X(Communicator, device, 12)          \
  X(Communicator, bus_id, 13)          \
  X(Lane, id, 1)                       \
  X(Lane, communicator, 2)             \
  X(Lane, kind, 3)                     \
  X(Lane, peer, 4)                     \
  X(CodeObject, id, 1)                 \
  X(CodeObject, file, 2)               \
  X(CodeObject, function, 3)           \
  X(CodeObject, first_line, 4)         \
  X(CodeObject, line_table, 5)         \
  X(PythonStack, id, 1)                \
  X(PythonStack, code, 2)              \
  X(PythonStack, offset, 3)            \
  X(PythonStack, truncated, 4)         \
  X(NativeStack, id, 1)                \
  X(NativeStack, pc, 2)                \
  X(NativeStack, epoch, 3)             \
  X(NativeStack, truncated, 4)         \
  X(Module, epoch, 1)                  \
  X(Module, bias, 2)                   \
  X(Module, low, 3)                    \
  X(Module, high, 4)                   \
  X(Module, build_id, 5)               \
  X(Module, path, 6)                   \
  X(Setting, name, 1)                  \
  X(Setting, value, 2)                 \
  X(Thread, id, 1)                     \
  X(Thread, tid, 2)                    \
  X(Thread, name, 3)                   \
  X(CallBlock, sequence, 1)            \
  X(CallBlock, rows, 2)                \
  X(CallBlock, base, 3)                \
  X(CallBlock, shape, 4)               \
  X(CallBlock, entered, 5)             \
  X(CallBlock, started, 6)             \
  X(CallBlock, completed, 7)           \
  X(CallBlock, sequence_check, 14)     \
  X(CellBlock, sequence, 1)            \
  X(CellBlock, rows, 2)                \
  X(CellBlock, kind, 4)                \
  X(CellBlock, extra, 5)               \
  X(CellBlock, row, 6)                 \
  X(CellBlock, value, 7)               \
  X(CellBlock, sequence_check, 14)     \
  X(Checkpoints, sequence, 1)          \
  X(Checkpoints, first, 2)             \
  X(Checkpoints, lane, 3)              \
  X(Checkpoints, shift, 4)             \
  X(Checkpoints, hash, 5)              \
  X(Checkpoints, sequence_check, 14)   \
  X(Progress, sequence, 1)             \
  X(Progress, lane, 2)                 \
  X(Progress, count, 3)                \
  X(Progress, hash, 4)                 \
  X(Progress, next_row, 5)             \
  X(Progress, sequence_check, 14)      \
  X(Event, kind, 1)                    \
  X(Event, row, 2)                     \
  X(Event, time_ns, 3)                 \
  X(Event, value, 4)                   \
  X(Event, data, 5)                    \
  X(Event, tid, 6)                     \
  X(Event, python_stack, 7)            \
  X(Event, native_stack, 8)

enum RollcallField {
#define ROLLCALL_FIELD(message, field, number) ROLLCALL_##message##_##field = (number),
  ROLLCALL_TRACE_FIELDS(ROLLCALL_FIELD)
#undef ROLLCALL_FIELD
};

/* X(enum, VALUE, number): the value is spelt VALUE in trace.proto, and ROLLCALL_VALUE here. */
#define ROLLCALL_TRACE_VALUES(X)                    \
  X(Operation, OPERATION_UNKNOWN, 0)                \
  X(Operation, OPERATION_ALLREDUCE, 1)              \
  X(Operation, OPERATION_BROADCAST, 2)              \
  X(Operation, OPERATION_REDUCE, 3)                 \
  X(Operation, OPERATION_ALLGATHER, 4)              \
  X(Operation, OPERATION_REDUCESCATTER, 5)          \
  X(Operation, OPERATION_GATHER, 6)                 \
  X(Operation, OPERATION_SCATTER, 7)                \
  X(Operation, OPERATION_ALLTOALL, 8)               \
  X(Operation, OPERATION_BARRIER, 9)                \
  X(Operation, OPERATION_SEND, 10)                  \
  X(Operation, OPERATION_RECV, 11)                  \
  X(Operation, OPERATION_MONITORED_BARRIER, 12)     \
  X(Operation, OPERATION_INIT, 20)                  \
  X(Operation, OPERATION_SPLIT, 21)                 \
  X(Operation, OPERATION_SHRINK, 22)                \
  X(Operation, OPERATION_GROW, 23)                  \
  X(Operation, OPERATION_FINALIZE, 24)              \
  X(Operation, OPERATION_DESTROY, 25)               \
  X(Operation, OPERATION_ABORT, 26)                 \
  X(Operation, OPERATION_RENDEZVOUS, 30)            \
  X(Operation, OPERATION_GROUP_START, 40)           \
  X(Operation, OPERATION_GROUP_END, 41)             \
  X(Operation, OPERATION_SYNC, 42)                  \
  X(Datatype, DATATYPE_UNKNOWN, 0)                  \
  X(Datatype, DATATYPE_I8, 1)                       \
  X(Datatype, DATATYPE_U8, 2)                       \
  X(Datatype, DATATYPE_I32, 3)                      \
  X(Datatype, DATATYPE_U32, 4)                      \
  X(Datatype, DATATYPE_I64, 5)                      \
  X(Datatype, DATATYPE_U64, 6)                      \
  X(Datatype, DATATYPE_F16, 7)                      \
  X(Datatype, DATATYPE_BF16, 8)                     \
  X(Datatype, DATATYPE_F32, 9)                      \
  X(Datatype, DATATYPE_F64, 10)                     \
  X(Datatype, DATATYPE_F8E4M3, 11)                  \
  X(Datatype, DATATYPE_F8E5M2, 12)                  \
  X(Datatype, DATATYPE_I16, 13)                     \
  X(Datatype, DATATYPE_BOOL, 14)                    \
  X(Datatype, DATATYPE_C64, 15)                     \
  X(Datatype, DATATYPE_C128, 16)                    \
  X(ReduceOperation, REDUCE_OPERATION_NONE, 0)      \
  X(ReduceOperation, REDUCE_OPERATION_SUM, 1)       \
  X(ReduceOperation, REDUCE_OPERATION_PROD, 2)      \
  X(ReduceOperation, REDUCE_OPERATION_MIN, 3)       \
  X(ReduceOperation, REDUCE_OPERATION_MAX, 4)       \
  X(ReduceOperation, REDUCE_OPERATION_AVG, 5)       \
  X(ReduceOperation, REDUCE_OPERATION_BAND, 6)      \
  X(ReduceOperation, REDUCE_OPERATION_BOR, 7)       \
  X(ReduceOperation, REDUCE_OPERATION_BXOR, 8)      \
  X(ReduceOperation, REDUCE_OPERATION_PREMUL_SUM, 9) \
  X(ReduceOperation, REDUCE_OPERATION_CUSTOM, 10)   \
  X(Flag, FLAG_NONE, 0)                             \
  X(Flag, FLAG_IN_PLACE, 1)                         \
  X(Flag, FLAG_ASYNC, 2)                            \
  X(Flag, FLAG_INTERNAL, 4)                         \
  X(Flag, FLAG_AMBIGUOUS_INITIATOR, 8)              \
  X(Flag, FLAG_LIBRARY_LEVEL, 16)                   \
  X(Flag, FLAG_CAPTURED, 32)                        \
  X(Flag, FLAG_REPLAYED, 64)                        \
  X(Variable, VARIABLE_NONE, 0)                     \
  X(Variable, VARIABLE_COUNT, 1)                    \
  X(Variable, VARIABLE_PEER, 2)                     \
  X(Variable, VARIABLE_TAG, 4)                      \
  X(Variable, VARIABLE_SPLITS, 8)                   \
  X(Library, LIBRARY_UNKNOWN, 0)                    \
  X(Library, LIBRARY_GLOO, 1)                       \
  X(Library, LIBRARY_NCCL, 2)                       \
  X(LaneKind, LANE_COLLECTIVE, 0)                   \
  X(LaneKind, LANE_SEND, 1)                         \
  X(LaneKind, LANE_RECV, 2)                         \
  X(CellKind, CELL_UNUSED, 0)                       \
  X(CellKind, CELL_POSITION, 1)                     \
  X(CellKind, CELL_COUNT, 2)                        \
  X(CellKind, CELL_PEER, 3)                         \
  X(CellKind, CELL_TAG, 4)                          \
  X(CellKind, CELL_SPLITS, 5)                       \
  X(CellKind, CELL_ELEMENT, 6)                      \
  X(CellKind, CELL_GROUP, 7)                        \
  X(EventKind, EVENT_UNKNOWN, 0)                    \
  X(EventKind, EVENT_FAILED, 1)                     \
  X(EventKind, EVENT_ABORTED, 2)                    \
  X(EventKind, EVENT_DISCARDED, 3)                  \
  X(EventKind, EVENT_LATE_STARTED, 4)               \
  X(EventKind, EVENT_LATE_COMPLETED, 5)             \
  X(EventKind, EVENT_MOVED_ROW, 6)                  \
  X(EventKind, EVENT_SPLITS, 7)                     \
  X(EventKind, EVENT_SNAPSHOT_BEGIN, 10)            \
  X(EventKind, EVENT_SNAPSHOT_THREAD, 11)           \
  X(EventKind, EVENT_SNAPSHOT_FILE, 12)             \
  X(EventKind, EVENT_SNAPSHOT_END, 13)              \
  X(EventKind, EVENT_COMMUNICATOR_GONE, 14)         \
  X(EventKind, EVENT_MEMBERS, 15)                   \
  X(EventKind, EVENT_BACKWARD, 16)                  \
  X(EventKind, EVENT_RECORDING, 17)                 \
  X(EventKind, EVENT_EXCEPTION, 18)

enum RollcallValue {
#define ROLLCALL_VALUE(type, value, number) ROLLCALL_##value = (number),
  ROLLCALL_TRACE_VALUES(ROLLCALL_VALUE)
#undef ROLLCALL_VALUE
};

#endif  /* ROLLCALL_PROTO_TRACE_FIELDS_H_ */
