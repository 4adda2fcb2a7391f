#include "tools/rollcall/run/members.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace rollcall::tools {
namespace {

// What is remembered of a job that starts processes without end.
constexpr std::size_t kMostMembers = 20000;

struct Stat {
  std::string program;
  char state = '?';
  pid_t parent = 0;
  std::int64_t start_ticks = 0;
  int wait_status = 0;  // of a zombie
};

// No std::ifstream: it throws when a process ends between open and read (ESRCH).
std::string Contents(const std::string& path) {
  std::string contents;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return contents;
  char bytes[16384];
  for (ssize_t got; (got = read(file, bytes, sizeof bytes)) > 0;) {
    contents.append(bytes, static_cast<std::size_t>(got));
  }
  close(file);
  return contents;
}

// proc(5), /proc/PID/stat: the program's name may hold spaces and parentheses, so fields are
// counted from the last one.
bool ReadStat(pid_t pid, Stat& stat) {
  const std::string text = Contents(absl::StrCat("/proc/", pid, "/stat"));
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return false;
  stat.program = text.substr(open + 1, close - open - 1);
  const std::vector<std::string> fields =
      absl::StrSplit(text.substr(close + 1), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  constexpr std::size_t kState = 0, kParent = 1, kStart = 19, kWaitStatus = 49;
  if (fields.size() <= kWaitStatus) return false;
  stat.state = fields[kState][0];
  return absl::SimpleAtoi(fields[kParent], &stat.parent) &&
         absl::SimpleAtoi(fields[kStart], &stat.start_ticks) &&
         absl::SimpleAtoi(fields[kWaitStatus], &stat.wait_status);
}

std::map<pid_t, Stat> AllProcesses() {
  std::map<pid_t, Stat> processes;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* entry = readdir(folder)) {
    pid_t pid = 0;
    Stat stat;
    if (absl::SimpleAtoi(entry->d_name, &pid) && ReadStat(pid, stat))
      processes.emplace(pid, std::move(stat));
  }
  closedir(folder);
  return processes;
}

bool IsCommunicationLibrary(const std::string& file) {
  for (const char* name :
       {"libtorch_cpu.so", "libtorch.so", "libtorch-", "libgloo", "libnccl.so", "librccl.so"}) {
    if (absl::StartsWith(file, name)) return true;
  }
  return false;
}

}  // namespace

std::int64_t StartTicks(pid_t pid) {
  Stat stat;
  return ReadStat(pid, stat) ? stat.start_ticks : 0;
}

Members::Members(pid_t first) : first_(first) {}

void Members::Inspect(pid_t pid, Member& member) {
  std::istringstream maps(Contents(absl::StrCat("/proc/", pid, "/maps")));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.rfind('/');
    if (slash == std::string::npos) continue;
    const std::string file = line.substr(slash + 1);
    member.communicates = member.communicates || IsCommunicationLibrary(file);
    member.has_recorder = member.has_recorder || absl::StartsWith(file, "librollcall");
  }
  if (!member.communicates) return;
  const std::string environment = Contents(absl::StrCat("/proc/", pid, "/environ"));
  for (const std::string& variable : std::vector<std::string>(absl::StrSplit(environment, '\0'))) {
    int world_size = 0;
    if (absl::StartsWith(variable, "WORLD_SIZE=") &&
        absl::SimpleAtoi(variable.substr(11), &world_size)) {
      member.is_rank = world_size > 1;
    }
  }
}

void Members::Scan() {
  const std::map<pid_t, Stat> processes = AllProcesses();
  std::multimap<pid_t, pid_t> children;
  for (const auto& [pid, stat] : processes)
    children.emplace(stat.parent, pid);
  std::set<pid_t> family = {first_};
  std::vector<pid_t> todo = {first_};
  for (auto& [identity, member] : members_) {  // orphans are still ours
    const auto process = processes.find(identity.first);
    member.alive = process != processes.end() && process->second.start_ticks == identity.second;
    if (member.alive && family.insert(identity.first).second) todo.push_back(identity.first);
  }
  while (!todo.empty()) {
    const pid_t parent = todo.back();
    todo.pop_back();
    for (auto [child, end] = children.equal_range(parent); child != end; ++child) {
      if (family.insert(child->second).second) todo.push_back(child->second);
    }
  }
  for (const pid_t pid : family) {
    const auto process = processes.find(pid);
    if (process == processes.end() || members_.size() >= kMostMembers) continue;
    const Stat& stat = process->second;
    Member& member = members_[{pid, stat.start_ticks}];
    member.program = stat.program;
    if (stat.state == 'Z' || stat.state == 'X') {
      member.alive = false;
      member.signal = WIFSIGNALED(stat.wait_status) ? WTERMSIG(stat.wait_status) : 0;
      member.exit_status =
          WIFEXITED(stat.wait_status) ? WEXITSTATUS(stat.wait_status) : 128 + member.signal;
    } else if (!member.communicates) {
      Inspect(pid, member);
    }
  }
}

std::vector<pid_t> Members::Alive() const {
  std::vector<pid_t> alive;
  for (const auto& [identity, member] : members_) {
    if (member.alive) alive.push_back(identity.first);
  }
  return alive;
}

std::vector<ProcessRecord> Members::Records() const {
  std::vector<ProcessRecord> records;
  for (const auto& [identity, member] : members_) {
    if (!member.communicates && identity.first != first_) continue;
    records.push_back({identity.first, identity.second, member.exit_status, member.signal});
  }
  return records;
}

std::vector<NotInterposed> Members::FindNotInterposed(bool any_trace) const {
  std::vector<NotInterposed> found;
  for (const auto& [identity, member] : members_) {
    if (!member.communicates) continue;
    if (!member.has_recorder) {
      found.push_back({identity.first, identity.second, member.program,
                       "librollcall.so is not loaded (LD_PRELOAD was removed, or the program does "
                       "not use this system's loader)"});
    } else if (!any_trace && member.is_rank) {
      found.push_back(
          {identity.first, identity.second, member.program,
           "librollcall.so is loaded, but no call of PyTorch, Gloo or NCCL went through it"});
    }
  }
  return found;
}

}  // namespace rollcall::tools
