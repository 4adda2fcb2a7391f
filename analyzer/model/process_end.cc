#include "analyzer/model/process_end.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Field 22 of /proc/PID/stat; 0 = no such process. The name in field 2 may hold spaces and
// parentheses.
std::uint64_t StartTicks(std::uint32_t pid) {
  const std::string line = FirstLine(absl::StrCat("/proc/", pid, "/stat"));
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  std::string field;
  for (int number = 4; number <= 21; ++number)
    fields >> field;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

std::string ExceptionText(const RollcallState& state) {
  if (state.exception_ns == 0) return "";
  const std::size_t bytes = std::min<std::size_t>(state.exception_bytes, kRollcallExceptionBytes);
  return std::string(state.exception, strnlen(state.exception, bytes));
}

}  // namespace

ProcessWitness AskThisMachine(const Header& header) {
  struct utsname names {};
  if (header.boot_id().empty() || uname(&names) != 0 || header.host() != names.nodename ||
      header.boot_id() != FirstLine("/proc/sys/kernel/random/boot_id")) {
    return ProcessWitness::kElsewhere;
  }
  return StartTicks(header.pid()) == header.start_ticks() ? ProcessWitness::kAlive
                                                          : ProcessWitness::kGone;
}

End ClassifyEnd(const RollcallState& state, ProcessWitness witness, std::int64_t last_entered_ns) {
  End end;
  if (state.magic != ROLLCALL_STATE_MAGIC) return end;
  std::uint32_t word = 0;
  std::memcpy(&word, state.mutex, sizeof word);
  const bool died = (word & ROLLCALL_OWNER_DIED) != 0;
  const bool held = !died && (word & ROLLCALL_OWNER_TID) != 0;
  end.exception = ExceptionText(state);
  end.status = static_cast<int>(state.end_status);
  end.signal = static_cast<int>(state.end_signal);
  end.signal_code = state.end_signal_code;
  end.sender_pid = static_cast<int>(state.end_signal_pid);
  end.ns = static_cast<std::int64_t>(std::min(state.end_ns, kGreatestTime));
  const auto heartbeat = static_cast<std::int64_t>(std::min(state.heartbeat_ns, kGreatestTime));

  if (held || (!died && witness == ProcessWitness::kAlive)) {
    // The word of a copy says what was true when it was made. What the process said about its end
    // is provisional: it may hang in its exit.
    end.kind = EndKind::kAlive;
    end.exiting = state.end_kind != kRollcallEndNone;
    return end;
  }
  const auto exception_ns = static_cast<std::int64_t>(std::min(state.exception_ns, kGreatestTime));
  switch (state.end_kind) {
    case kRollcallEndExit:
      // An exception that was caught after all leaves another status.
      end.kind = exception_ns != 0 && end.status == 1 ? EndKind::kException : EndKind::kExit;
      return end;
    case kRollcallEndQuick:
      end.kind = EndKind::kQuickExit;
      return end;
    case kRollcallEndSignal:
      end.kind = EndKind::kSignal;
      return end;
    case kRollcallEndExec:
      end.kind = EndKind::kExec;
      return end;
    default:
      break;
  }
  if (!died && witness != ProcessWitness::kGone) return end;  // the recorder was still starting
  if (died && witness == ProcessWitness::kAlive) {
    end.kind = EndKind::kExec;  // same process, other program: only its recorder is gone
    end.ns = heartbeat;
    return end;
  }
  if (exception_ns != 0 && exception_ns >= last_entered_ns) {
    // Uncaught, and killed on the way out before it could say its status.
    end.kind = EndKind::kException;
    end.status = 1;
    end.ns = exception_ns;
    return end;
  }
  end.kind = EndKind::kKilled;
  end.ns = std::max(heartbeat, last_entered_ns);
  return end;
}

}  // namespace rollcall::analyzer
