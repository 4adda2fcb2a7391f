// Small jobs for tests of the model: traces by TraceWriter in a folder of their own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "analyzer/trace/trace_writer.h"

namespace rollcall::analyzer {

// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "rollcall-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::string path_;
};

// One rank of a torch job on one machine: default group, and one Python site per line.
class SyntheticRank {
 public:
  // pid 0: one by rank. started_ns: CLOCK_MONOTONIC.
  SyntheticRank(int rank, int size, int pid = 0, std::int64_t started_ns = 1'000'000'000)
      : rank_(rank), writer_(MakeHeader(rank, pid, started_ns)), now_(started_ns) {
    rollcall::Communicator* world = Define().mutable_communicator();
    world->set_id(1);
    world->set_rank(rank);
    world->set_size(size);
    world->set_digest(77);
    world->set_store_path("default_pg|0/|1/|cpu/|");
    world->set_name("0");
    world->set_library(LIBRARY_GLOO);
    Flush();
  }

  TraceWriter& writer() { return writer_; }
  std::int64_t now() const { return now_; }

  CallShape Allreduce(std::uint64_t count, int line) {
    CallShape shape;
    shape.set_operation(OPERATION_ALLREDUCE);
    shape.set_datatype(DATATYPE_F32);
    shape.set_redop(REDUCE_OPERATION_SUM);
    shape.set_element_bytes(4);
    shape.set_count(count);
    shape.set_communicator(1);
    shape.set_python_stack(Site(line));
    return shape;
  }
  // A completed call; returns its row.
  std::int64_t Completed(const CallShape& shape) {
    now_ += 100'000;
    return writer_.AddRow(
        {writer_.AddShape(shape), now_, now_ + 10'000, now_ + 50'000, false, false});
  }
  std::int64_t Pending(const CallShape& shape) {
    now_ += 100'000;
    return writer_.AddRow({writer_.AddShape(shape), now_, now_ + 10'000, 0, false, false});
  }
  void Exit(int status) {
    const std::uint32_t died = ROLLCALL_OWNER_DIED | 99;
    std::memcpy(writer_.state().mutex, &died, sizeof died);
    writer_.state().end_kind = kRollcallEndExit;
    writer_.state().end_status = static_cast<std::uint32_t>(status);
    writer_.state().end_ns = static_cast<std::uint64_t>(now_ + 1'000'000);
  }
  void KilledWithoutNotice() {
    const std::uint32_t died = ROLLCALL_OWNER_DIED | 99;
    std::memcpy(writer_.state().mutex, &died, sizeof died);
    writer_.state().heartbeat_ns = static_cast<std::uint64_t>(now_ + 1'000'000);
  }
  void Alive() {
    const std::uint32_t tid = 99;
    std::memcpy(writer_.state().mutex, &tid, sizeof tid);
    writer_.state().heartbeat_ns = static_cast<std::uint64_t>(now_ + 30'000'000'000);
  }
  std::string Write(const TemporaryFolder& folder, int max_call_blocks = 0) {
    return folder.Write(FileName(rank_), writer_.Finish(max_call_blocks));
  }

  static std::string FileName(int rank) {
    return "node." + std::to_string(1000 + rank) + ".5.rollcall";
  }

  static Header MakeHeader(int rank, int pid = 0, std::int64_t started_ns = 1'000'000'000) {
    Header header;
    header.set_host("node");
    header.set_boot_id("0b1b6b5e-0000-4000-8000-000000000000");
    header.set_pid(static_cast<std::uint32_t>(pid != 0 ? pid : 1000 + rank));
    header.set_start_ticks(5);
    header.set_monotonic_ns(static_cast<std::uint64_t>(started_ns));
    header.set_realtime_ns(static_cast<std::uint64_t>(1'700'000'000'000'000'000 + started_ns));
    return header;
  }

 private:
  Definition& Define() { return definition_; }
  void Flush() {
    writer_.AddDefinition(definition_);
    definition_.Clear();
  }
  // Code object and stack of one frame in train.py; ids are the line.
  std::uint32_t Site(int line) {
    const auto id = static_cast<std::uint32_t>(line);
    if (!sites_.insert(id).second) return id;
    CodeObject* code = Define().mutable_code();
    code->set_id(id);
    code->set_file("train.py");
    code->set_function("main");
    code->set_first_line(id);
    Flush();
    PythonStack* stack = Define().mutable_python_stack();
    stack->set_id(id);
    stack->add_code(id);
    stack->add_offset(0);
    Flush();
    return id;
  }

  int rank_;
  TraceWriter writer_;
  Definition definition_;
  std::set<std::uint32_t> sites_;
  std::int64_t now_;
};

// Of four ranks that all-reduce three times, rank 2 exits before the fourth call, in which the
// others wait. The bytes of one rank's trace.
inline std::string EarlyExitTrace(int rank) {
  SyntheticRank one(rank, 4);
  for (int i = 0; i < 3; ++i)
    one.Completed(one.Allreduce(1024, 41));
  if (rank == 2) {
    one.Exit(0);
  } else {
    one.Pending(one.Allreduce(1, 57));
    one.Alive();
  }
  return one.writer().Finish();
}

}  // namespace rollcall::analyzer
