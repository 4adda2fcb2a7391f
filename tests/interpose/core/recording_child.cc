#include "tests/interpose/core/recording_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "interpose/core/call_blocks.h"
#include "interpose/core/helper_thread.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rollcall-core-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

pid_t StartChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  _exit(body());
}

int WaitForChild(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int RunChild(const std::function<int()>& body) {
  return WaitForChild(StartChild(body));
}

void OpenOrExit(const std::string& folder, OpenOptions options) {
  options.folder = folder.c_str();
  if (OpenRecorder(options) != 0) _exit(99);
}

void CloseTrace() {
  Recorder& recorder = *CurrentRecorder();
  StopHelper(recorder);
  const SlowSection section(recorder.mutex);
  HashRows(recorder);
}

std::string TracePath(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".rollcall") return entry.path().string();
  return "";
}

std::string ReadWhole(const std::string& path, std::size_t piece) {
  std::string bytes;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return bytes;
  const off_t size = lseek(descriptor, 0, SEEK_END);
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = pread(descriptor, bytes.data() + at, std::min(piece, bytes.size() - at),
                              static_cast<off_t>(at));
    if (got <= 0) break;
    at += static_cast<std::size_t>(got);
  }
  close(descriptor);
  return bytes;
}

CallArguments Allreduce(std::uint32_t communicator, std::uint64_t count) {
  CallArguments call{};
  call.operation = ROLLCALL_OPERATION_ALLREDUCE;
  call.datatype = ROLLCALL_DATATYPE_F32;
  call.redop = ROLLCALL_REDUCE_OPERATION_SUM;
  call.element_bytes = 4;
  call.communicator = communicator;
  call.count = count;
  return call;
}

std::uint32_t DefineWorld(std::uint32_t size, std::uint64_t digest) {
  CommunicatorArguments world;
  world.size = size;
  world.digest = digest;
  world.library = ROLLCALL_LIBRARY_GLOO;
  world.store_path = "default_pg|0/";
  return DefineCommunicator(world);
}

void MakeCall(const CallArguments& call, std::uint64_t position) {
  const Row row = EnterCall(call, position, 1);
  StartCall(row);
  CompleteCall(row);
}

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Nap(unsigned microseconds) {
  usleep(microseconds);
}

bool WaitFor(const std::function<bool()>& done, double seconds) {
  for (const double end = SecondsNow() + seconds; SecondsNow() < end; Nap(200))
    if (done()) return true;
  return done();
}

void* SharedBytes(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

}  // namespace rollcall::interpose::test
