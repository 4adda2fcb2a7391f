// What a process does beside its calls.
#include <algorithm>
#include <csignal>
#include <utility>

#include "analyzer/scenario/player.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace

void Player::Act(Strand& strand, const Statement& statement, int index) {
  const int p = strand.process;
  PlayedProcess& of = process(p);
  switch (statement.verb) {
    case Verb::kWait:
      Wait(strand, -1, std::exchange(strand.started, {}));
      break;
    case Verb::kBackward:
      CountBackward(strand, index);
      break;
    case Verb::kGroup:
      OpenGroup(strand);
      break;
    case Verb::kGroupClose:
      CloseGroup(strand, statement);
      break;
    case Verb::kCapture:
      strand.capture = statement.name;
      strand.captures[statement.name].clear();
      break;
    case Verb::kCaptureClose:
      strand.capture.clear();
      break;
    case Verb::kReplay: {
      const auto found = strand.captures.find(statement.name);
      if (found == strand.captures.end()) {
        Fail(statement, "expected a capture of this name before its replay: " + statement.name);
        return;
      }
      strand.replayed.insert(strand.replayed.end(), found->second.begin(), found->second.end());
      break;
    }
    case Verb::kExit:
      of.end.status = statement.code;
      if (!statement.file.empty()) Snap(p, "exit", strand.clock);
      End(p, EndKind::kExit, strand.clock);
      break;
    case Verb::kRaise:
      of.end.exception = statement.text;
      of.exception_ns = strand.clock;
      of.raised_at = statement.file.empty() ? -1 : index;
      if (!of.calls.empty() && of.calls.back().state == CallState::kFailed &&
          of.calls.back().error.empty())
        of.calls.back().error = statement.text;
      if (!statement.caught) End(p, EndKind::kException, strand.clock);
      break;
    case Verb::kSignal:
      of.end.signal = statement.signal;
      // Nobody is told of SIGKILL.
      End(p, statement.signal == SIGKILL ? EndKind::kKilled : EndKind::kSignal, strand.clock);
      break;
    case Verb::kVanish:
      End(p, EndKind::kKilled, strand.clock);
      break;
    case Verb::kAbsent:
      of.has_file = false;
      End(p, EndKind::kUnknown, strand.clock);
      break;
    case Verb::kRestart:
      of.end.signal = SIGTERM;
      End(p, EndKind::kSignal, strand.clock);
      guest(p).said = false;
      Restart(strand);
      break;
    case Verb::kDevice:
      of.device = statement.code;
      for (PlayedCommunicator& communicator : of.communicators) {
        if (communicator.device < 0 && communicator.library == LIBRARY_NCCL)
          communicator.device = of.device;
      }
      break;
    case Verb::kBusy:
    case Verb::kBlocked:
      strand.at = index;
      strand.over = true;
      guest(p).said = true;
      break;
    case Verb::kLate: {
      const auto ns = static_cast<std::int64_t>(statement.seconds * 1e9);
      if (!statement.file.empty() && ns > 60 * kSecond)
        Snap(p, "idle", strand.clock + 60 * kSecond);
      strand.clock += ns;
      break;
    }
    case Verb::kAfter:
      strand.clock += static_cast<std::int64_t>(statement.seconds * 1e9);
      break;
    case Verb::kCall:
      break;
  }
}

void Player::End(int p, EndKind kind, std::int64_t ns) {
  PlayedProcess& of = process(p);
  of.end.kind = kind;
  of.end.ns = std::max(ns, guest(p).last_entered) + 1024;
  if (kind == EndKind::kException) of.end.status = 1;
  guest(p).ended = guest(p).said = true;
  matching_.EndProcess(p);
}

void Player::Restart(Strand& strand) {
  const PlayedProcess& before = process(strand.process);
  const int actor = strand.actor, restarts = before.restarts + 1;
  // Restarts of all ranks begin together: behind whatever the last of them did.
  std::int64_t clock = before.end.ns;
  for (const Strand& other : strands_)
    clock =
        std::max(clock, other.process == strand.process ? clock : process(other.process).end.ns);
  for (Strand& other : strands_) {
    if (other.actor != actor) continue;
    other.waits.clear();
    other.waits_for_others = other.stuck = other.parked = other.over = false;
    other.inside = other.at = -1;
    other.started.clear();
    other.grouped.clear();
    other.group_depth = 0;
  }
  AddProcess(actor, restarts, clock + 5 * kSecond);
}

void Player::Snap(int p, const char* reason, std::int64_t ns, int progress) {
  PlayedSnapshot snapshot;
  snapshot.ns = ns;
  snapshot.reason = reason;
  for (const Strand& strand : strands_) {
    if (strand.process != p) continue;
    PlayedThread thread;
    thread.thread = strand.thread;
    thread.statement = strand.at;
    thread.progress = progress;
    if (strand.inside >= 0 && strand.Blocked()) {
      thread.inside = true;
      thread.statement = process(p).calls[static_cast<std::size_t>(strand.inside)].statement;
    }
    if (thread.statement >= 0) snapshot.threads.push_back(thread);
  }
  if (!snapshot.threads.empty()) process(p).snapshots.push_back(std::move(snapshot));
}

void Player::CountBackward(Strand& strand, int index) {
  strand.clock += 10 * kMillisecond;
  std::vector<PlayedBackward>& all = process(strand.process).backward;
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const PlayedBackward& one) { return one.statement == index; });
  if (found == all.end()) {
    all.push_back({index, 0, strand.clock, strand.clock});
    found = all.end() - 1;
  }
  ++found->passes;
  found->last_ns = strand.clock;
}

}  // namespace rollcall::analyzer::scenario
