// Words that are written into the traces of others, and which files a process holds open.
#include "interpose/core/life/snapshot_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "interpose/core/life/snapshot_files.h"
#include "proto/raw_layout.h"
#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kSomeThread = 4711;

class TraceFolder {
 public:
  TraceFolder() : path_(MakeFolder()) {}
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  // A file that is long enough, with this state where a trace has it.
  void Write(const std::string& name, const RollcallState& state) const {
    std::string bytes(kRollcallHeaderBytes, '\0');
    std::memcpy(bytes.data() + kRollcallStateAt, &state, sizeof(state));
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  RollcallState Read(const std::string& name) const {
    RollcallState state{};
    std::ifstream file(path_ / name, std::ios::binary);
    file.seekg(kRollcallStateAt);
    file.read(reinterpret_cast<char*>(&state), sizeof(state));
    return state;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  static std::filesystem::path MakeFolder() {
    std::string name = std::filesystem::temp_directory_path() / "rollcall-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    return name;
  }
  const std::filesystem::path path_;
};

RollcallState StateOf(std::uint32_t futex) {
  RollcallState state{};
  state.magic = ROLLCALL_STATE_MAGIC;
  state.phase = kRollcallPhaseRunning;
  std::memcpy(state.mutex, &futex, sizeof(futex));
  return state;
}

std::string NameOf(const std::string& host, const std::string& rest) {
  return host + "." + std::to_string(getpid()) + "." + rest + ".rollcall";
}

std::vector<std::string> open_files;
std::vector<std::string> OpenFiles() {
  open_files.clear();
  ForEachFileOpenForWriting(
      1000, [](const char* path, std::size_t bytes) { open_files.emplace_back(path, bytes); });
  return open_files;
}

bool Contains(const std::vector<std::string>& files, const std::string& file) {
  for (const std::string& entry : files) {
    if (entry == file) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a rank that hangs asks those that live, once", "[snapshot_request]") {
  const TraceFolder folder;
  folder.Write("own.1.1.rollcall", StateOf(kSomeThread));
  folder.Write("other.2.1.rollcall", StateOf(kSomeThread));
  RequestSnapshotsOfOthers(folder.path().c_str(), "own.1.1.rollcall");
  CHECK(folder.Read("other.2.1.rollcall").snapshot_request == 1);
  CHECK(folder.Read("own.1.1.rollcall").snapshot_request == 0);
  RequestSnapshotsOfOthers(folder.path().c_str(), "own.1.1.rollcall");
  CHECK(folder.Read("other.2.1.rollcall").snapshot_request == 1);
}

TEST_CASE("processes that ended, stopped or have not begun are not asked", "[snapshot_request]") {
  const TraceFolder folder;
  RollcallState stopped = StateOf(kSomeThread);
  stopped.phase = kRollcallPhaseStopped;
  folder.Write("dead.1.1.rollcall", StateOf(kSomeThread | ROLLCALL_OWNER_DIED));
  RollcallState starting = StateOf(0);
  starting.phase = kRollcallPhaseStarting;
  RollcallState ended = StateOf(0);
  ended.end_kind = kRollcallEndExit;
  folder.Write("starting.2.1.rollcall", starting);
  folder.Write("ended.4.1.rollcall", ended);
  folder.Write("stopped.3.1.rollcall", stopped);
  RequestSnapshotsOfOthers(folder.path().c_str(), "own.9.9.rollcall");
  CHECK(folder.Read("dead.1.1.rollcall").snapshot_request == 0);
  CHECK(folder.Read("starting.2.1.rollcall").snapshot_request == 0);
  CHECK(folder.Read("stopped.3.1.rollcall").snapshot_request == 0);
  CHECK(folder.Read("ended.4.1.rollcall").snapshot_request == 0);
}

TEST_CASE("a trace without a shared mapping has no mutex and is asked", "[snapshot_request]") {
  const TraceFolder folder;
  folder.Write("other.2.1.rollcall", StateOf(0));
  RequestSnapshotsOfOthers(folder.path().c_str(), "own.9.9.rollcall");
  CHECK(folder.Read("other.2.1.rollcall").snapshot_request == 1);
}

TEST_CASE("what is no trace is not written", "[snapshot_request]") {
  const TraceFolder folder;
  folder.Write("target", StateOf(kSomeThread));
  folder.Write("other.json", StateOf(kSomeThread));
  RollcallState foreign = StateOf(kSomeThread);
  foreign.magic = 0;
  folder.Write("foreign.1.1.rollcall", foreign);
  std::ofstream(folder.path() / "short.1.1.rollcall") << "short";
  std::filesystem::create_symlink(folder.path() / "target", folder.path() / "link.1.1.rollcall");
  REQUIRE(mkfifo((folder.path() / "fifo.1.1.rollcall").c_str(), 0600) == 0);
  RequestSnapshotsOfOthers(folder.path().c_str(), "own.9.9.rollcall");
  CHECK(folder.Read("target").snapshot_request == 0);
  CHECK(folder.Read("other.json").snapshot_request == 0);
  CHECK(folder.Read("foreign.1.1.rollcall").snapshot_request == 0);
  CHECK(std::filesystem::file_size(folder.path() / "short.1.1.rollcall") == 5);
}

TEST_CASE("a folder that is gone does no harm", "[snapshot_request]") {
  RequestSnapshotsOfOthers("/no/such/folder", "own.9.9.rollcall");
  CHECK(ReadSnapshotRequest("/no/such/folder", "own.9.9.rollcall") == 0);
}

TEST_CASE("a request is read from the file", "[snapshot_request]") {
  const TraceFolder folder;
  RollcallState state = StateOf(kSomeThread);
  state.snapshot_request = 7;
  folder.Write("own.1.1.rollcall", state);
  CHECK(ReadSnapshotRequest(folder.path().c_str(), "own.1.1.rollcall") == 7);
}

TEST_CASE("older traces of this process are marked when it records after exec", "[exec]") {
  const TraceFolder folder;
  const std::string host = "node.1." + std::to_string(getpid()) + ".example";
  const RollcallState dead = StateOf(kSomeThread | ROLLCALL_OWNER_DIED);
  const std::string own = NameOf(host, "777.2");
  for (const char* rest : {"777", "777.1", "777.2", "778", "7777"}) {
    folder.Write(NameOf(host, rest), dead);
  }
  folder.Write("other." + std::to_string(getpid()) + ".777.rollcall", dead);
  MarkTracesBeforeExec(folder.path().c_str(), own.c_str());
  CHECK(folder.Read(NameOf(host, "777")).end_kind == kRollcallEndExec);
  CHECK(folder.Read(NameOf(host, "777.1")).end_kind == kRollcallEndExec);
  CHECK(folder.Read(own).end_kind == kRollcallEndNone);
  CHECK(folder.Read(NameOf(host, "778")).end_kind == kRollcallEndNone);
  CHECK(folder.Read(NameOf(host, "7777")).end_kind == kRollcallEndNone);
  CHECK(folder.Read("other." + std::to_string(getpid()) + ".777.rollcall").end_kind ==
        kRollcallEndNone);
}

TEST_CASE("an end that was told before the exec stays", "[exec]") {
  const TraceFolder folder;
  RollcallState ended = StateOf(kSomeThread | ROLLCALL_OWNER_DIED);
  ended.end_kind = kRollcallEndExit;
  folder.Write(NameOf("host", "777"), ended);
  MarkTracesBeforeExec(folder.path().c_str(), NameOf("host", "777.1").c_str());
  CHECK(folder.Read(NameOf("host", "777")).end_kind == kRollcallEndExit);
}

TEST_CASE("files open for writing are listed, others are not", "[snapshot_files]") {
  const TraceFolder folder;
  const std::string root = std::filesystem::canonical(folder.path());
  const int written = open((root + "/written").c_str(), O_WRONLY | O_CREAT, 0600);
  const int both = open((root + "/both").c_str(), O_RDWR | O_CREAT, 0600);
  const int only_read = open((root + "/both").c_str(), O_RDONLY);
  const int deleted = open((root + "/deleted").c_str(), O_WRONLY | O_CREAT, 0600);
  const int path_only = open((root + "/written").c_str(), O_PATH);
  unlink((root + "/deleted").c_str());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::vector<std::string> files = OpenFiles();
  for (const int file : {written, both, only_read, deleted, path_only, ends[0], ends[1]}) {
    close(file);
  }
  CHECK(Contains(files, root + "/written"));
  CHECK(Contains(files, root + "/both"));
  std::size_t ours = 0;
  for (const std::string& file : files)
    ours += file.rfind(root, 0) == 0;
  CHECK(ours == 2);
  CHECK_FALSE(Contains(OpenFiles(), root + "/written"));
}

}  // namespace rollcall::interpose
