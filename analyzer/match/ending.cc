#include "analyzer/match/ending.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kTogetherNs = 2'000'000'000;  // ends closer than this are one end of the job

std::string SignalName(int signal) {
  struct Name {
    int signal;
    const char* name;
  };
  static constexpr std::array<Name, 10> kNames = {{{SIGKILL, "SIGKILL"},
                                                   {SIGTERM, "SIGTERM"},
                                                   {SIGINT, "SIGINT"},
                                                   {SIGHUP, "SIGHUP"},
                                                   {SIGABRT, "SIGABRT"},
                                                   {SIGSEGV, "SIGSEGV"},
                                                   {SIGBUS, "SIGBUS"},
                                                   {SIGFPE, "SIGFPE"},
                                                   {SIGILL, "SIGILL"},
                                                   {SIGQUIT, "SIGQUIT"}}};
  for (const Name& name : kNames) {
    if (name.signal == signal) return name.name;
  }
  return absl::StrCat("signal ", signal);
}

const std::string* ErrorText(const Process& process, const Call& call) {
  if (call.error < 0 || static_cast<std::size_t>(call.error) >= process.texts.size())
    return nullptr;
  return &process.texts[static_cast<std::size_t>(call.error)];
}

// The last call that an error of the library ended, if the process made none that completed behind
// it.
const Call* LastFailed(const Process& process) {
  for (auto call = process.calls.rbegin(); call != process.calls.rend(); ++call) {
    if (call->state == CallState::kAborted) return &*call;
    if (call->state == CallState::kFailed) return IsUnfinished(process, *call) ? &*call : nullptr;
    if (call->state == CallState::kCompleted) return nullptr;
  }
  return nullptr;
}

bool AnyOpen(const Process& process) {
  return std::any_of(process.calls.begin(), process.calls.end(), IsOpen);
}

// The process that is to serve the rendezvous waits for all others in it. If it gives up before
// its timeout, it could not serve.
bool CouldNotServe(const Process& process, const Call& call) {
  const Shape& shape = process.shapes[call.shape];
  constexpr std::int64_t kMs = 1'000'000;
  return shape.operation == OPERATION_RENDEZVOUS && shape.timeout_ms > 0 &&
         process.Setting("rendezvous.role") == "server" &&
         call.completed_ns - call.entered_ns < shape.timeout_ms / 10 * 9 * kMs;
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Ending JudgeAlone(const Process& process) {
  Ending ending;
  const End& end = process.end;
  const Call* failed = LastFailed(process);
  const LibraryError raised = LibraryErrorOf(end.exception);
  const auto react = [&](LibraryError error, const std::string& text) {
    ending.part = Part::kReaction;
    ending.reaction = error == LibraryError::kNone ? LibraryError::kConnection : error;
    ending.reaction_text = FirstLine(text);
  };
  const auto react_to_failed = [&] {
    const std::string* text = ErrorText(process, *failed);
    react(text == nullptr ? LibraryError::kConnection : LibraryErrorOf(*text),
          text == nullptr ? "" : *text);
  };
  EndKind kind = end.kind;
  if (kind == EndKind::kAlive && end.exiting)
    kind = end.exception.empty() ? EndKind::kExit : EndKind::kException;
  switch (kind) {
    case EndKind::kUnknown:
    case EndKind::kAlive:
      break;
    case EndKind::kExit:
    case EndKind::kQuickExit:
      ending.how = absl::StrCat("exit status ", end.status,
                                kind == EndKind::kQuickExit ? " by os._exit" : "",
                                end.kind == EndKind::kAlive ? ", still in its exit" : "");
      if (failed != nullptr) {
        react_to_failed();
      } else if (raised != LibraryError::kNone) {
        react(raised, end.exception);
      } else if (end.kind == EndKind::kAlive && AnyOpen(process)) {
        ending.how.clear();  // its exit waits for its calls: judged by them
      } else {
        ending.part = Part::kLeft;
      }
      break;
    case EndKind::kException:
      ending.how =
          absl::StrCat("uncaught ", end.exception.empty() ? "exception" : FirstLine(end.exception));
      if (raised != LibraryError::kNone) {
        react(raised, end.exception);
      } else if (failed != nullptr && end.exception.empty()) {
        react_to_failed();
      } else {
        ending.part = Part::kRaised;
      }
      break;
    case EndKind::kSignal:
      ending.how = absl::StrCat("killed by ", SignalName(end.signal));
      ending.part = Part::kKilled;
      if (end.signal == SIGABRT) {
        // Gloo aborts the receiver of a message that is too long, NCCL's watchdog whoever waited
        // too long.
        if (failed != nullptr) {
          react_to_failed();
        } else if (AnyOpen(process)) {
          react(LibraryError::kSize, "SIGABRT inside a call");
        } else {
          ending.part = Part::kLeft;
          ending.finishing = true;
          ending.how = "SIGABRT in its exit, all calls done";
        }
      }
      break;
    case EndKind::kKilled:
      ending.how = "killed without notice (SIGKILL, out of memory, or a lost machine)";
      ending.part = Part::kKilled;
      break;
    case EndKind::kExec:
      ending.how = "became another program by exec";
      ending.part = Part::kLeft;
      break;
  }
  return ending;
}

int JobSignal(const Process& process) {
  if (process.end.kind == EndKind::kKilled) return SIGKILL;
  if (process.end.kind != EndKind::kSignal) return 0;
  const int signal = process.end.signal;
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ? signal
                                                                                        : 0;
}

bool HasEnded(const Process& process) {
  return process.end.kind != EndKind::kAlive && process.end.kind != EndKind::kUnknown;
}

// Of those that gave up because of a library's error, was the first one a timeout? Then its peers
// were connected, so alive.
bool GaveUpWaiting(const Job& job, const std::vector<Ending>& endings, std::int64_t* when) {
  std::int64_t first = 0;
  bool timeout = false;
  for (std::size_t p = 0; p < endings.size(); ++p) {
    if (endings[p].part != Part::kReaction || endings[p].with_job) continue;
    const std::int64_t ns = job.processes[p].end.ns;
    if (first != 0 && ns >= first) continue;
    first = ns;
    timeout = endings[p].reaction == LibraryError::kTimeout;
  }
  *when = first;
  return timeout;
}

// The signals by which a launcher, a scheduler or a user ends what is left of a job.
void TakeAwayEndOfJob(const Job& job, const std::vector<int>& processes,
                      std::vector<Ending>* endings) {
  const auto process = [&](int p) -> const Process& {
    return job.processes[static_cast<std::size_t>(p)];
  };
  const auto ending = [&](int p) -> Ending& { return (*endings)[static_cast<std::size_t>(p)]; };
  const auto cut_off = [&](int p) {
    ending(p).part = Part::kRunning;
    ending(p).with_job = true;
  };
  // torchrun and mp.spawn send TERM to the others after one has ended.
  std::vector<int> terminated;
  for (const int p : processes) {
    if (JobSignal(process(p)) != SIGTERM) continue;
    const bool after_another = std::any_of(processes.begin(), processes.end(), [&](int q) {
      return q != p && HasEnded(process(q)) && JobSignal(process(q)) != SIGTERM &&
             process(q).end.ns <= process(p).end.ns;
    });
    if (after_another) terminated.push_back(p);
  }
  for (const int p : terminated)
    cut_off(p);

  std::int64_t gave_up_ns = 0;
  const bool gave_up = GaveUpWaiting(job, *endings, &gave_up_ns);
  std::vector<int> signalled;
  for (const int p : processes) {
    if (ending(p).part == Part::kKilled && JobSignal(process(p)) != 0) signalled.push_back(p);
  }
  if (signalled.empty()) return;
  // The last of them; who was killed well before them was not killed with the job.
  std::int64_t end = 0;
  for (const int p : signalled)
    end = std::max(end, process(p).end.ns);
  signalled.erase(std::remove_if(signalled.begin(), signalled.end(),
                                 [&](int p) { return end - process(p).end.ns > kTogetherNs; }),
                  signalled.end());
  std::int64_t begin = end;
  for (const int p : signalled)
    begin = std::min(begin, process(p).end.ns);
  const bool one_signal = std::all_of(signalled.begin(), signalled.end(), [&](int p) {
    return JobSignal(process(p)) == JobSignal(process(signalled.front()));
  });
  if (!one_signal) return;
  // The time of a kill without notice is that of the last heartbeat: it may lie a little before
  // what made the launcher kill.
  const bool just_gave_up = gave_up && begin >= gave_up_ns - kTogetherNs;
  const bool others_gone = std::all_of(processes.begin(), processes.end(), [&](int q) {
    if (std::find(signalled.begin(), signalled.end(), q) != signalled.end()) return true;
    if (!HasEnded(process(q))) return false;
    const std::int64_t ns = process(q).end.ns;
    return ns < begin || just_gave_up || (ending(q).own() && ns < begin + kTogetherNs);
  });
  // A single process that is killed is the end of the job only if others were there, and ended
  // before.
  if (!others_gone || (signalled.size() == 1 && processes.size() == 1)) return;
  for (const int p : signalled)
    cut_off(p);
}

}  // namespace

bool IsOpen(const Call& call) {
  return call.state == CallState::kPending;
}

bool IsUnfinished(const Process& process, const Call& call) {
  if (call.state == CallState::kPending || call.state == CallState::kAborted) return true;
  if (call.state != CallState::kFailed) return false;
  // A failure without a text is the library's: it comes out of the call itself. Refused arguments
  // have a text.
  const std::string* text = ErrorText(process, call);
  if (text == nullptr || text->empty()) return !CouldNotServe(process, call);
  return LibraryErrorOf(*text) != LibraryError::kNone;
}

std::vector<Ending> JudgeEndings(const Job& job) {
  std::vector<Ending> endings;
  endings.reserve(job.processes.size());
  for (const Process& process : job.processes)
    endings.push_back(JudgeAlone(process));
  for (std::size_t p = 0; p < job.processes.size(); ++p)
    endings[p].breaks_off = job.processes[p].lost_rows > 0;
  for (const InputFile& input : job.inputs) {
    if (input.process >= 0 && (input.state == "truncated" || input.state == "damaged"))
      endings[static_cast<std::size_t>(input.process)].breaks_off = true;
  }
  for (const Incarnation& incarnation : job.incarnations)
    TakeAwayEndOfJob(job, incarnation.processes, &endings);
  return endings;
}

}  // namespace rollcall::analyzer
