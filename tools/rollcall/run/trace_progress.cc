#include "tools/rollcall/run/trace_progress.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "proto/raw_layout.h"
#include "tools/rollcall/run/members.h"

namespace rollcall::tools {
namespace {

constexpr unsigned char kCallBlockTag = 3 << 3 | 2;  // Trace.calls, length-delimited
constexpr char kSuffix[] = ".rollcall";
using BlockBytes = std::array<unsigned char, kRollcallBlockBytes>;

template <typename T>
T Load(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// <host>.<pid>.<starttime>.rollcall
bool ParseName(const std::string& name, std::string& host, pid_t& pid, std::int64_t& start_ticks) {
  if (!absl::EndsWith(name, kSuffix)) return false;
  const std::string stem = name.substr(0, name.size() - std::strlen(kSuffix));
  const std::size_t second = stem.rfind('.');
  const std::size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : stem.rfind('.', second - 1);
  if (first == std::string::npos) return false;
  host = stem.substr(0, first);
  return absl::SimpleAtoi(stem.substr(first + 1, second - first - 1), &pid) &&
         absl::SimpleAtoi(stem.substr(second + 1), &start_ticks);
}

std::string NodeName() {
  utsname name = {};
  uname(&name);
  return name.nodename;
}

// Stamp of a column in ns; 0 = none, or a value that is no time.
std::int64_t Time(std::uint64_t base, std::uint32_t stamp) {
  if (stamp == 0 || stamp >= ROLLCALL_NOT_WATCHED) return 0;
  return static_cast<std::int64_t>(base + (static_cast<std::uint64_t>(stamp - 1) << 10));
}

}  // namespace

TraceProgress::TraceProgress(std::string folder) : folder_(std::move(folder)) {}

bool TraceProgress::AnyTrace() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (absl::EndsWith(entry.path().filename().string(), kSuffix)) return true;
  }
  return false;
}

Progress TraceProgress::Look() {
  Progress progress;
  std::map<std::string, File> alive;
  std::error_code error;
  const std::string node = NodeName();
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    std::string host;
    pid_t pid = 0;
    std::int64_t start_ticks = 0;
    if (!ParseName(entry.path().filename().string(), host, pid, start_ticks)) continue;
    if (host != node || StartTicks(pid) != start_ticks) continue;
    const std::string path = entry.path().string();
    File& file = alive[path] = std::move(alive_[path]);
    file.pid = pid;
    LookAt(path, file, progress);
  }
  alive_ = std::move(alive);
  return progress;
}

void TraceProgress::LookAt(const std::string& path, File& file, Progress& progress) const {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (descriptor < 0) return;
  if (fstat(descriptor, &status) != 0) status.st_size = 0;
  for (std::int64_t at = kRollcallHeaderBytes; at + kRollcallBlockBytes <= status.st_size;
       at += kRollcallBlockBytes) {
    BlockBytes bytes;
    constexpr std::size_t kHead = kRollcallBaseAt + 8;
    if (pread(descriptor, bytes.data(), kHead, at) != static_cast<ssize_t>(kHead)) break;
    const auto base = Load<std::uint64_t>(bytes.data() + kRollcallBaseAt);
    if (bytes[0] != kCallBlockTag || base == 0) continue;
    Block& block = file.blocks[at];
    const auto sequence = Load<std::uint64_t>(bytes.data() + kRollcallSequenceAt);
    if (!block.closed || block.sequence != sequence) {
      if (pread(descriptor, bytes.data(), bytes.size(), at) != static_cast<ssize_t>(bytes.size()))
        break;
      if (Load<std::uint64_t>(bytes.data() + kRollcallSequenceAt) !=
          Load<std::uint64_t>(bytes.data() + kRollcallSequenceCheckAt)) {
        continue;  // being reused at this moment
      }
      block = {sequence, true, 0};
      for (int row = 0; row < kRollcallRows; ++row) {
        const auto column = [&](int start) {
          return Load<std::uint32_t>(bytes.data() + start + 4 * row);
        };
        const bool used = column(kRollcallShapeAt) != 0;
        const std::int64_t entered = used ? Time(base, column(kRollcallEnteredAt)) : 0;
        const bool pending = used && column(kRollcallCompletedAt) == 0;
        block.closed = block.closed && used && !pending;
        if (!used) continue;
        block.newest_ns =
            std::max({block.newest_ns, entered, Time(base, column(kRollcallStartedAt)),
                      Time(base, column(kRollcallCompletedAt))});
        if (pending && (progress.oldest_pending_ns == 0 || entered < progress.oldest_pending_ns)) {
          progress.oldest_pending_ns = entered;
        }
      }
    }
    progress.newest_stamp_ns = std::max(progress.newest_stamp_ns, block.newest_ns);
  }
  close(descriptor);
}

std::vector<pid_t> TraceProgress::Alive() const {
  std::vector<pid_t> pids;
  for (const auto& [path, file] : alive_)
    pids.push_back(file.pid);
  return pids;
}

void TraceProgress::RequestSnapshots(double seconds) const {
  constexpr off_t kRequestAt = kRollcallStateAt + offsetof(RollcallState, snapshot_request);
  constexpr off_t kDoneAt = kRollcallStateAt + offsetof(RollcallState, snapshot_done);
  std::map<int, std::uint32_t> waiting;  // descriptor -> number asked for
  for (const auto& [path, file] : alive_) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) continue;
    std::uint32_t request = 0;
    if (pread(descriptor, &request, sizeof request, kRequestAt) == sizeof request &&
        ++request != 0 &&
        pwrite(descriptor, &request, sizeof request, kRequestAt) == sizeof request) {
      waiting.emplace(descriptor, request);
    } else {
      close(descriptor);
    }
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!waiting.empty()) {
    for (auto file = waiting.begin(); file != waiting.end();) {
      std::uint32_t done = 0;
      const bool answered = pread(file->first, &done, sizeof done, kDoneAt) != sizeof done ||
                            static_cast<std::int32_t>(done - file->second) >= 0;
      if (answered || std::chrono::steady_clock::now() > until) {
        close(file->first);
        file = waiting.erase(file);
      } else {
        ++file;
      }
    }
    if (!waiting.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace rollcall::tools
