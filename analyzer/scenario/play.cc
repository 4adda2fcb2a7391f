// Drives a play: every host goes on until it waits; when all wait, those who want to end or leave
// do so; when nothing moves any more, what is pending hangs.
#include "analyzer/scenario/play.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/scenario/player.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr std::int64_t kStart = 1'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHangs = 100 * kSecond;  // how long it has lasted when the job is looked at
constexpr std::int64_t kSnapshotAfter = 60 * kSecond;  // ROLLCALL_HANG_SECONDS

// Ends and leaving come after everything that can still complete.
bool ComesLast(const Statement& statement) {
  switch (statement.verb) {
    case Verb::kExit:
    case Verb::kRaise:
    case Verb::kSignal:
    case Verb::kVanish:
    case Verb::kAbsent:
    case Verb::kRestart:
      return !statement.caught;
    case Verb::kCall:
      return statement.operation == OPERATION_ABORT || statement.operation == OPERATION_DESTROY;
    default:
      return false;
  }
}

bool EndsFromOutside(const Statement& statement) {
  return statement.verb == Verb::kSignal || statement.verb == Verb::kVanish ||
         statement.verb == Verb::kRestart;
}

bool MakesWorld(const Statement& statement) {
  return statement.operation == OPERATION_INIT && statement.name == "world";
}

}  // namespace

Player::Player(const Scenario& scenario) : scenario_(scenario) {
  world_is_made_ = std::any_of(scenario.statements.begin(), scenario.statements.end(), MakesWorld);
  for (std::size_t actor = 0; actor < scenario.scripts.size(); ++actor) {
    std::map<int, Strand> by_thread = {{0, {}}};
    const std::vector<int>& script = scenario.scripts[actor];
    for (std::size_t place = 0; place < script.size(); ++place) {
      const int index = script[place];
      Strand& strand = by_thread[scenario.statements[static_cast<std::size_t>(index)].thread];
      strand.script.push_back(index);
      strand.places.push_back(static_cast<int>(place));
    }
    for (auto& [thread, strand] : by_thread) {
      strand.actor = static_cast<int>(actor);
      strand.thread = thread;
      strands_.push_back(std::move(strand));
    }
    AddProcess(static_cast<int>(actor), 0, kStart);
  }
}

void Player::AddProcess(int actor, int restarts, std::int64_t clock) {
  const int index = static_cast<int>(play_.processes.size());
  PlayedProcess& made = play_.processes.emplace_back();
  guests_.emplace_back();
  made.actor = actor;
  made.restarts = restarts;
  made.started_ns = clock - kSecond;
  made.end.kind = EndKind::kAlive;
  bool store_first = false;
  for (Strand& strand : strands_) {
    if (strand.actor != actor) continue;
    strand.process = index;
    strand.clock = clock;
    made.threads = std::max(made.threads, strand.thread + 1);
    for (std::size_t i = strand.next; i < strand.script.size(); ++i) {
      const Statement& statement = scenario_.statements[static_cast<std::size_t>(strand.script[i])];
      if (statement.verb == Verb::kRestart) break;
      store_first = store_first || statement.operation == OPERATION_RENDEZVOUS;
    }
  }
  if (!store_first) JoinDeclared(index);
}

const Statement* Player::Next(const Strand& strand) const {
  if (!strand.replayed.empty())
    return &scenario_.statements[static_cast<std::size_t>(strand.replayed.front())];
  if (strand.next >= strand.script.size()) return nullptr;
  return &scenario_.statements[static_cast<std::size_t>(strand.script[strand.next])];
}

void Player::Fail(const Statement& statement, const std::string& message) {
  if (status_.ok())
    status_ = absl::InvalidArgumentError(absl::StrCat(scenario_.name, ":", statement.place.line,
                                                      ":", statement.place.column, ": ", message));
}

void Player::Do(Strand& strand, const Statement& statement, int index) {
  strand.replays = !strand.replayed.empty();
  if (strand.replays) {
    strand.replayed.pop_front();
  } else {
    ++strand.next;
  }
  if (!statement.file.empty()) strand.at = index;
  if (statement.verb == Verb::kCall) {
    if (!strand.capture.empty()) {
      Capture(strand, statement, index);
    } else {
      MakeCall(strand, statement, index);
    }
  } else {
    Act(strand, statement, index);
  }
}

// Another thread of the process comes before it in the script, and can go on.
bool Player::ComesLater(const Strand& strand) const {
  if (strand.next >= strand.script.size()) return false;
  return std::any_of(strands_.begin(), strands_.end(), [&](const Strand& other) {
    return other.process == strand.process && other.thread != strand.thread &&
           other.next < other.script.size() && !other.Blocked() && !other.parked && !other.over &&
           other.places[other.next] < strand.places[strand.next];
  });
}

// One action of a host, or the end of its wait; false = it cannot go on.
bool Player::Step(Strand& strand) {
  if (guest(strand.process).ended) {
    // Only a restart goes on behind an end.
    while (!strand.over && Next(strand) != nullptr && Next(strand)->verb != Verb::kRestart)
      ++strand.next;
    if (strand.over || Next(strand) == nullptr) return false;
    ++strand.next;
    Restart(strand);
    return true;
  }
  if (strand.stuck || strand.waits_for_others || strand.over) return false;
  if (!strand.waits.empty()) {
    std::int64_t until = strand.clock;
    for (const int item : strand.waits) {
      if (!matching_.item(item).ended) return false;
      until = std::max(until, CallOf(item).completed_ns);
    }
    strand.waits.clear();
    strand.clock = until;
    const std::string error =
        strand.inside >= 0
            ? process(strand.process).calls[static_cast<std::size_t>(strand.inside)].error
            : "";
    if (strand.inside >= 0) {
      PlayedCall& call = process(strand.process).calls[static_cast<std::size_t>(strand.inside)];
      if (call.completed_ns == 0) {
        call.completed_ns = until + 1024;
        call.state = CallState::kCompleted;
      }
    }
    strand.inside = -1;
    const Statement* next = Next(strand);
    if (!error.empty() && (next == nullptr || !ComesLast(*next))) {
      process(strand.process).end.exception = error;
      process(strand.process).exception_ns = until;
      End(strand.process, EndKind::kException, until);
    }
    return true;
  }
  const Statement* statement = Next(strand);
  if (statement == nullptr || ComesLater(strand)) return false;
  if (ComesLast(*statement) && strand.capture.empty()) {
    strand.parked = true;
    return false;
  }
  Do(strand, *statement, static_cast<int>(statement - scenario_.statements.data()));
  return true;
}

bool Player::ReleaseParked() {
  Strand* first = nullptr;
  for (Strand& strand : strands_) {
    if (guest(strand.process).ended) strand.parked = false;
    if (strand.parked && (first == nullptr || strand.clock < first->clock)) first = &strand;
  }
  if (first == nullptr) return false;
  first->parked = false;
  const Statement* statement = Next(*first);
  Do(*first, *statement, static_cast<int>(statement - scenario_.statements.data()));
  return true;
}

// Signals reach a process inside a call too.
bool Player::DieInside() {
  Strand* first = nullptr;
  std::int64_t first_quiet = 0;
  for (Strand& strand : strands_) {
    if (guest(strand.process).ended || (!strand.Blocked() && !strand.over)) continue;
    std::size_t next = strand.next;
    std::int64_t clock = strand.clock;
    const auto statement = [&] {
      return next < strand.script.size()
                 ? &scenario_.statements[static_cast<std::size_t>(strand.script[next])]
                 : nullptr;
    };
    for (; statement() != nullptr && statement()->verb == Verb::kAfter; ++next)
      clock += static_cast<std::int64_t>(statement()->seconds * 1e9);
    if (statement() == nullptr || !EndsFromOutside(*statement())) continue;
    if (first != nullptr && clock >= first->clock + first_quiet) continue;
    first = &strand;
    first_quiet = clock - strand.clock;
  }
  if (first == nullptr) return false;
  while (Next(*first)->verb == Verb::kAfter)
    ++first->next;
  if (first_quiet > kSnapshotAfter)
    Snap(first->process, first->over ? "idle" : "hang", first->clock + kSnapshotAfter, 1);
  first->clock += first_quiet;
  const Statement* statement = Next(*first);
  Do(*first, *statement, static_cast<int>(statement - scenario_.statements.data()));
  return true;
}

void Player::Finish() {
  bool all_done = true;
  for (const Strand& strand : strands_) {
    play_.now_ns = std::max(play_.now_ns, strand.clock);
    all_done = all_done && !strand.Blocked();
  }
  std::set<int> newest;
  for (const Strand& strand : strands_)
    newest.insert(strand.process);
  for (std::size_t p = 0; p < play_.processes.size(); ++p) {
    const PlayedProcess& of = play_.processes[p];
    for (const PlayedCall& call : of.calls) {
      play_.now_ns = std::max({play_.now_ns, call.entered_ns, call.completed_ns});
      if (newest.count(static_cast<int>(p)) != 0 && call.state != CallState::kCompleted &&
          call.state != CallState::kUnwatched)
        all_done = false;
    }
    play_.now_ns = std::max(play_.now_ns, of.end.ns);
    if (newest.count(static_cast<int>(p)) != 0) all_done = all_done && !guests_[p].said;
  }
  const std::int64_t last = play_.now_ns;
  play_.now_ns = last + (all_done ? kSecond : kHangs);
  for (std::size_t p = 0; p < play_.processes.size(); ++p) {
    PlayedProcess& of = play_.processes[p];
    if (guests_[p].ended) continue;
    std::int64_t quiet_since = of.started_ns;
    for (const Strand& strand : strands_) {
      if (strand.process == static_cast<int>(p)) quiet_since = std::max(quiet_since, strand.clock);
    }
    if (all_done) {
      of.end.kind = EndKind::kExit;
      of.end.ns = quiet_since + 1'000'000;
      continue;
    }
    const bool hangs = std::any_of(strands_.begin(), strands_.end(), [&](const Strand& strand) {
      return strand.process == static_cast<int>(p) && strand.Blocked();
    });
    Snap(static_cast<int>(p), hangs ? "hang" : "idle", quiet_since + kSnapshotAfter, 1);
    const bool progressing = std::any_of(strands_.begin(), strands_.end(), [&](const Strand& s) {
      return s.process == static_cast<int>(p) && s.at >= 0 &&
             scenario_.statements[static_cast<std::size_t>(s.at)].progressing;
    });
    if (progressing)
      Snap(static_cast<int>(p), "request", quiet_since + kSnapshotAfter + 30 * kSecond, 2);
  }
}

absl::StatusOr<Play> Player::Run() {
  while (status_.ok()) {
    bool moved = false;
    for (Strand& strand : strands_) {
      while (status_.ok() && Step(strand))
        moved = true;
    }
    if (!moved && !ReleaseParked() && !DieInside()) break;
  }
  if (!status_.ok()) return status_;
  Finish();
  return std::move(play_);
}

absl::StatusOr<Play> PlayScenario(const Scenario& scenario) {
  return Player(scenario).Run();
}

}  // namespace rollcall::analyzer::scenario
