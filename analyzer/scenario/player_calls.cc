// Calls: how the host makes them, and what it waits for.
#include <algorithm>
#include <utility>

#include "analyzer/scenario/player.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr std::int64_t kCallNs = 20'480;                 // the host's own part of a call
constexpr std::int64_t kLibraryTimeout = 5'000'000'000;  // until a forced failure shows
// Nobody else takes part in it.
bool IsHostCall(Operation operation) {
  return operation == OPERATION_SYNC || operation == OPERATION_GROUP_START ||
         operation == OPERATION_GROUP_END;
}

constexpr int kInvalidArgument = 4, kInvalidUsage = 5;  // as ncclResult_t has them

}  // namespace

std::size_t Player::Enter(Strand& strand, int index) {
  Guest& of = guest(strand.process);
  strand.clock = std::max(strand.clock, of.last_entered) + kCallNs;
  of.last_entered = strand.clock;
  PlayedCall call;
  call.statement = index;
  call.entered_ns = strand.clock;
  if (strand.group_depth > 0) call.group = strand.group;
  call.replayed = strand.replays;
  process(strand.process).calls.push_back(call);
  return process(strand.process).calls.size() - 1;
}

void Player::Wait(Strand& strand, int call, std::vector<int> items) {
  strand.inside = call;
  strand.waits = std::move(items);
  if (!strand.waits.empty()) return;
  strand.inside = -1;
  if (call < 0) return;
  PlayedCall& of = process(strand.process).calls[static_cast<std::size_t>(call)];
  of.completed_ns = strand.clock + kCallNs;
  of.state = CallState::kCompleted;
  strand.clock = of.completed_ns;
}

void Player::MakeCall(Strand& strand, const Statement& statement, int index) {
  const std::size_t call = Enter(strand, index);
  const int p = strand.process;
  if (IsHostCall(statement.operation) && statement.forced != Forced::kNo) {
    Force(strand, statement, call, matching_.AddItem({}));
    return;
  }
  switch (statement.operation) {
    case OPERATION_RENDEZVOUS:
      Gather(strand, statement, call);
      return;
    case OPERATION_INIT:
      Init(strand, statement, call);
      return;
    case OPERATION_GROUP_START:
      OpenGroup(strand);
      Wait(strand, static_cast<int>(call), {});
      return;
    case OPERATION_GROUP_END: {
      if (strand.group_depth == 0) {
        PlayedCall& of = process(p).calls[call];
        of.state = CallState::kFailed;
        of.completed_ns = strand.clock + kCallNs;
        of.error_code = kInvalidUsage;
        of.error = "invalid usage: group end without a group start";
        return;
      }
      Wait(strand, static_cast<int>(call), {});
      CloseGroup(strand, statement);
      return;
    }
    case OPERATION_SYNC:
      process(p).calls[call].started_ns = strand.clock + 1024;
      Wait(strand, static_cast<int>(call), queues_.OpenItems(p, -1, statement.stream));
      return;
    default:
      Collective(strand, statement, call);
  }
}

void Player::OpenGroup(Strand& strand) {
  if (strand.group_depth++ == 0) strand.group = ++guest(strand.process).groups;
}

// The library takes the call into a graph and returns; nobody carries it out.
void Player::Capture(Strand& strand, const Statement& statement, int index) {
  const std::size_t call = Enter(strand, index);
  PlayedCall& of = process(strand.process).calls[call];
  of.captured = true;
  of.state = CallState::kUnwatched;
  of.started_ns = strand.clock + 1024;
  if (!IsHostCall(statement.operation)) of.communicator = HandleOf(strand, statement) + 1;
  strand.captures[strand.capture].push_back(index);
}

// Of a communicator: collectives, sends and receives, and its own life.
void Player::Collective(Strand& strand, const Statement& statement, std::size_t call) {
  const int p = strand.process;
  const int handle = HandleOf(strand, statement);
  if (handle < 0) return;
  PlayedCall& of = process(p).calls[call];
  PlayedCommunicator& communicator = process(p).communicators[static_cast<std::size_t>(handle)];
  of.communicator = handle + 1;
  if (communicator.gone_ns != 0) {
    of.state = CallState::kFailed;
    of.completed_ns = strand.clock + kCallNs;
    of.error_code = kInvalidArgument;
    of.error = "invalid argument: the communicator was destroyed";
    return;
  }
  if (statement.operation == OPERATION_DESTROY || statement.operation == OPERATION_ABORT) {
    if (statement.forced == Forced::kNo) {
      Leave(strand, statement, call);
    } else {
      Force(strand, statement, call, matching_.AddItem({}));
    }
    return;
  }
  Item item;
  item.process = p;
  item.call = call;
  item.statement = &statement;
  item.communicator = guest(p).meetings[static_cast<std::size_t>(handle)];
  const std::vector<int>& actors = matching_.meeting(item.communicator).actors;
  const auto member = std::find(actors.begin(), actors.end(), strand.actor);
  item.rank = member == actors.end() ? -1 : static_cast<int>(member - actors.begin());
  const bool to_peer =
      statement.operation == OPERATION_SEND || statement.operation == OPERATION_RECV;
  for (const auto& [name, rank] : {std::pair("root", statement.root), {"peer", statement.peer}}) {
    if (rank.value_or(0) >= static_cast<int>(actors.size())) {
      Fail(statement, std::string("expected a ") + name + " below " +
                          std::to_string(actors.size()) + ", the size of the communicator '" +
                          statement.communicator + "'");
      return;
    }
  }
  if (!to_peer) {
    std::int64_t& next = guest(p).next_position[static_cast<std::size_t>(handle)];
    while (matching_.meeting(item.communicator).excluded.count({next, item.rank}) != 0)
      ++next;
    item.position = next++;
    for (const int rank : statement.without)
      Exclude(item.communicator, rank, item.position);
  }
  const int added = matching_.AddItem(item);
  if (statement.forced != Forced::kNo && statement.forced != Forced::kQueued) {
    Force(strand, statement, call, added);
  } else {
    Submit(strand, statement, call, added);
  }
  Settle();
}

// A shrink is a position of its survivors only: whoever is left out passes over it.
void Player::Exclude(int communicator, int rank, std::int64_t position) {
  Meeting& meeting = matching_.meeting(communicator);
  if (!meeting.excluded.insert({position, rank}).second) return;
  for (std::size_t p = 0; p < guests_.size(); ++p) {
    for (std::size_t handle = 0; handle < guests_[p].meetings.size(); ++handle) {
      const bool is_it = guests_[p].meetings[handle] == communicator &&
                         meeting.actors[static_cast<std::size_t>(rank)] == play_.processes[p].actor;
      if (is_it && guests_[p].next_position[handle] > position) ++guests_[p].next_position[handle];
    }
  }
  for (const Outcome& outcome : matching_.MakeRoom(communicator, rank, position))
    outcomes_.push_back(outcome);
}

void Player::Submit(Strand& strand, const Statement& statement, std::size_t call, int item) {
  const int p = strand.process;
  const Operation operation = statement.operation;
  const bool queued = statement.forced == Forced::kQueued;
  const bool nccl = matching_.meeting(matching_.item(item).communicator).library == LIBRARY_NCCL;
  if (operation == OPERATION_SPLIT || operation == OPERATION_SHRINK) {
    Activate(item, strand.clock);
    if (!queued) Wait(strand, static_cast<int>(call), {item});
    return;
  }
  if (operation == OPERATION_FINALIZE && nccl) {
    Launch(p, {item}, kNoStream, strand.clock);
    Wait(strand, static_cast<int>(call), {item});
    return;
  }
  if (nccl) {
    strand.clock += kCallNs;
    if (strand.group_depth > 0) {
      strand.grouped.push_back(item);
    } else {
      Launch(p, {item}, statement.stream, strand.clock);
    }
    return;
  }
  if (!queued) process(p).calls[call].started_ns = strand.clock + 10'240;
  Activate(item, strand.clock);
  if (queued) return;
  if (strand.group_depth > 0) {
    strand.grouped.push_back(item);
  } else if (statement.async) {
    strand.started.push_back(item);
  } else {
    Wait(strand, static_cast<int>(call), {item});
  }
}

// The outcome was observed; for the peers the call was made, unless it failed.
void Player::Force(Strand& strand, const Statement& statement, std::size_t call, int item) {
  PlayedCall& of = process(strand.process).calls[call];
  of.started_ns = strand.clock + 10'240;
  switch (statement.forced) {
    case Forced::kEntered:
      // NCCL: the host is inside, so the call is not launched.
      if (of.communicator > 0 &&
          process(strand.process)
                  .communicators[static_cast<std::size_t>(of.communicator - 1)]
                  .library == LIBRARY_NCCL)
        of.started_ns = 0;
      strand.stuck = true;
      strand.inside = static_cast<int>(call);
      Activate(item, strand.clock);
      break;
    case Forced::kCompleted:
      of.state = CallState::kCompleted;
      of.completed_ns = strand.clock = strand.clock + 1'000'000;
      matching_.item(item).ended = true;
      Activate(item, of.entered_ns);
      break;
    default:
      of.state = statement.forced == Forced::kAborted ? CallState::kAborted : CallState::kFailed;
      of.completed_ns = strand.clock = strand.clock + kLibraryTimeout;
      matching_.item(item).ended = true;
  }
}

void Player::CloseGroup(Strand& strand, const Statement& statement) {
  if (--strand.group_depth > 0) return;
  const std::vector<int> items = std::exchange(strand.grouped, {});
  std::map<int, std::vector<int>> by_communicator;
  std::vector<int> to_wait;
  for (const int item : items) {
    const int communicator = matching_.item(item).communicator;
    if (matching_.meeting(communicator).library == LIBRARY_NCCL) {
      by_communicator[communicator].push_back(item);
    } else {
      to_wait.push_back(item);
    }
  }
  for (const auto& [communicator, group] : by_communicator)
    Launch(strand.process, group, matching_.item(group.front()).statement->stream, strand.clock);
  Settle();
  if (!to_wait.empty())
    Wait(strand, statement.async ? -1 : static_cast<int>(matching_.item(to_wait.back()).call),
         to_wait);
}

// Destroy and abort wait for nobody.
void Player::Leave(Strand& strand, const Statement& statement, std::size_t call) {
  const int p = strand.process;
  const int handle = process(p).calls[call].communicator - 1;
  Wait(strand, static_cast<int>(call), {});
  process(p).communicators[static_cast<std::size_t>(handle)].gone_ns = strand.clock;
  if (statement.operation == OPERATION_ABORT)
    GiveUp(p, guest(p).meetings[static_cast<std::size_t>(handle)], strand.clock);
  Settle();
}

}  // namespace rollcall::analyzer::scenario
