#include "tools/rollcall/run/supervisor.h"

#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/rollcall/run/hang_watch.h"
#include "tools/rollcall/run/job_process.h"
#include "tools/rollcall/run/library.h"
#include "tools/rollcall/run/members.h"
#include "tools/rollcall/run/record.h"
#include "tools/rollcall/run/run_folder.h"
#include "tools/rollcall/run/verdict.h"

namespace rollcall::tools {
namespace {

constexpr int kKilledAfterHang = 124;  // as timeout(1) has it
constexpr double kGraceSeconds = 5;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t RealtimeNs() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

void Say(const std::string& message) {
  std::cerr << "rollcall: " << message << std::endl;
}

// What the job needs to be recorded; empty when it will run without.
Environment RecordingEnvironment(const std::string& folder, double hang_after) {
  if (folder.empty()) return {};
  absl::StatusOr<std::string> library = FindRecorder();
  if (library.ok()) library = PreloadablePath(*library);
  if (!library.ok()) {
    Say(std::string(library.status().message()) + "; the job runs unrecorded");
    return {};
  }
  return {{"LD_PRELOAD", AppendPreload(std::getenv("LD_PRELOAD"), *library)},
          {"ROLLCALL_DIR", folder},
          {"ROLLCALL_HANG_SECONDS", absl::StrFormat("%g", hang_after)}};
}

class Supervisor {
 public:
  Supervisor(const RunSettings& settings, const std::vector<std::string>& command,
             std::string folder)
      : settings_(settings),
        folder_(std::move(folder)),
        job_(command, RecordingEnvironment(folder_, settings.hang_after)),
        members_(job_.pid()),
        hang_watch_(folder_, settings.hang_after),
        verdict_(folder_) {
    utsname node = {};
    uname(&node);
    record_.host = node.nodename;
    record_.pid = getpid();
    record_.command = command;
    record_.started_ns = RealtimeNs();
  }

  int Run() {
    if (!job_.started()) {
      rmdir(folder_.c_str());  // only if it is empty, as it is when we made it
      return job_.exit_status();
    }
    const bool recording = !folder_.empty();
    if (recording) {
      members_.Scan();
      WriteRecord();
    }
    while (!job_.ended()) {
      job_.Wait(hang_watch_.interval_seconds());
      if (recording && !job_.ended()) Watch();
    }
    job_.ReleaseSignals();
    if (recording) Finish();
    return killed_ ? kKilledAfterHang : job_.exit_status();
  }

 private:
  void Watch() {
    // Often while the job starts, as processes that load the wrong things may be short-lived;
    // rarely later.
    const double age = SecondsSince(started_);
    if (SecondsSince(last_scan_) >= (age < 10 ? 0.25 : age < 60 ? 1 : 5)) {
      members_.Scan();
      last_scan_ = Clock::now();
    }
    if (killed_ && SecondsSince(terminated_) >= kGraceSeconds) SignalAll(SIGKILL);
    if (killed_ || !hang_watch_.Look()) return;
    Say(absl::StrFormat("the job hangs: no rank has moved for %g s", settings_.hang_after));
    verdict_.TellOfHang();
    if (settings_.on_hang != "kill") return;
    Say("ending the job (--on-hang kill)");
    killed_ = true;
    terminated_ = Clock::now();
    SignalAll(SIGTERM);
  }

  void SignalAll(int number) {
    members_.Scan();
    std::set<pid_t> processes = {job_.pid()};
    for (const pid_t pid : members_.Alive())
      processes.insert(pid);
    for (const pid_t pid : hang_watch_.Alive())
      processes.insert(pid);
    processes.erase(getpid());
    for (const pid_t pid : processes)
      kill(pid, number);
  }

  void Finish() {
    members_.Scan();
    record_.not_interposed = members_.FindNotInterposed(hang_watch_.AnyTrace());
    record_.ended_ns = RealtimeNs();
    record_.exit_status = job_.exit_status();
    record_.signal = job_.signal();
    WriteRecord();
    // A job that we ended was judged while it hung; what it looks like afterwards is our doing.
    if (!killed_) verdict_.TellOfEnd();
  }

  void WriteRecord() {
    record_.processes = members_.Records();
    for (ProcessRecord& process : record_.processes) {
      if (process.pid != job_.pid() || !job_.ended()) continue;
      process.exit_status = job_.exit_status();
      process.signal = job_.signal();
    }
    const absl::Status status = WriteRunRecord(folder_, record_);
    if (!status.ok() && !said_unwritable_) Say(std::string(status.message()));
    said_unwritable_ = said_unwritable_ || !status.ok();
  }

  const RunSettings& settings_;
  const std::string folder_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point last_scan_ = {}, terminated_ = {};
  JobProcess job_;
  Members members_;
  HangWatch hang_watch_;
  Verdict verdict_;
  RunRecord record_;
  bool killed_ = false;
  bool said_unwritable_ = false;
};

}  // namespace

int Supervise(const RunSettings& settings, const std::vector<std::string>& job) {
  const absl::StatusOr<std::string> folder = MakeRunFolder(settings.folder);
  if (!folder.ok()) Say(std::string(folder.status().message()) + "; the job runs unrecorded");
  return Supervisor(settings, job, folder.ok() ? *folder : "").Run();
}

}  // namespace rollcall::tools
