// A forked child that records, for tests: the test's own process never does, so each case begins
// with a clean one. And what its file says, read by libprotobuf.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interpose/core/open_recorder.h"
#include "interpose/core/recorder.h"
#include "trace.pb.h"

namespace rollcall::interpose::test {

// A new folder, removed with what is in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs `body` in a child, whose exit status is what it returns. Dies with the test.
pid_t StartChild(const std::function<int()>& body);
// Exit status of a child that ended by itself; 128 + N for a signal.
int WaitForChild(pid_t child);
// The same in one.
int RunChild(const std::function<int()>& body);
// Opens a trace in `folder`; the child ends with 99 when that fails.
void OpenOrExit(const std::string& folder, OpenOptions options = {});
// Brings hashes up to the last row and ends the helper, so that the file is at rest.
void CloseTrace();

// The only trace in a folder; "" = none.
std::string TracePath(const std::string& folder);
std::string ReadWhole(const std::string& path, std::size_t piece = 1 << 20);

CallArguments Allreduce(std::uint32_t communicator, std::uint64_t count);
std::uint32_t DefineWorld(std::uint32_t size = 4, std::uint64_t digest = 1);
void MakeCall(const CallArguments& call, std::uint64_t position = kNoPosition);

struct LaneTotal {
  std::uint64_t count = 0;
  std::uint64_t hash = 0;
  bool ended = false;
};

struct RowView {
  std::uint64_t number = 0;
  std::uint32_t shape = 0, entered = 0, started = 0, completed = 0;
  std::uint64_t base = 0;
};

// What is valid in a trace: records whose sequence words agree.
struct TraceView {
  rollcall::Trace trace;
  bool parsed = false;
  bool has_unknown_fields = false;
  std::uint64_t discarded = 0;
  std::map<std::uint32_t, rollcall::CallShape> shapes;
  std::vector<RowView> rows;  // in the order of their numbers
  std::vector<rollcall::Event> events;
  std::map<std::uint64_t, std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>>
      cells;  // row -> kind -> (value, extra)
  std::map<std::uint32_t, rollcall::Progress> progress;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> checkpoints;  // lane, calls

  // Progress, and the rows behind it.
  std::map<std::uint32_t, LaneTotal> Totals() const;
};
TraceView ViewTrace(const std::string& bytes);

double SecondsNow();
// Until `done`, or the deadline: then false.
bool WaitFor(const std::function<bool()>& done, double seconds = 10);
void Nap(unsigned microseconds);

// Memory that children share with the test.
template <class T>
T* SharedMemory();
void* SharedBytes(std::size_t bytes);
template <class T>
T* SharedMemory() {
  return static_cast<T*>(SharedBytes(sizeof(T)));
}

}  // namespace rollcall::interpose::test
