// The calls of one trace as words: libprotobuf reads the file, and every field of a call becomes a
// value by name, so that it can be held against what a program says it called.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace.pb.h"

namespace rollcall::tests {

// Names: operation, library, count, datatype, bytes (of an element), redop, root, peer, tag, group
// (name), path, size, rank, position, input, output (splits), tensors, dimensions, flags, timeout,
// state (pending, completed, failed, unwatched), started (yes, no), text (of the failure), function
// and line (innermost Python frame outside of torch), initiator (its function). What a call does
// not have is absent.
using RecordedCall = std::map<std::string, std::string>;

struct RecordedProcess {
  std::vector<RecordedCall> calls;  // in the order of their rows
  std::map<std::string, std::string> settings;
  std::vector<Event> events;
  std::vector<Communicator> communicators;
  bool readable = false;
};

RecordedProcess ReadProcess(const std::string& file);

// The trace of the process with this id in the folder; "" = there is none.
std::string TraceOf(const std::string& folder, int pid);

}  // namespace rollcall::tests
