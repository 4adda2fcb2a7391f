// What was submitted: queues of devices, and calls that meet their peers.
#include <algorithm>
#include <csignal>

#include "analyzer/scenario/player.h"

namespace rollcall::analyzer::scenario {

void Player::Launch(int p, const std::vector<int>& items, int stream, std::int64_t ns) {
  Work work;
  work.process = p;
  work.communicator = matching_.item(items.front()).communicator;
  work.stream = stream;
  work.items = items;
  work.ready_ns = ns;
  for (const int item : items)
    CallOf(item).started_ns = ns;
  TryStart(queues_.Add(std::move(work)));
}

void Player::TryStart(int index) {
  Work& work = queues_.at(index);
  if (work.started || !queues_.IsFirst(index)) return;
  work.started = true;
  for (const int item : work.items)
    Activate(item, work.ready_ns);
}

void Player::Activate(int item, std::int64_t ns) {
  for (const Outcome& outcome : matching_.Activate(item, ns))
    outcomes_.push_back(outcome);
}

void Player::Settle() {
  while (!outcomes_.empty()) {
    const Outcome outcome = outcomes_.front();
    outcomes_.pop_front();
    ApplyOutcome(outcome);
  }
}

void Player::ApplyOutcome(const Outcome& outcome) {
  const Item& item = matching_.item(outcome.item);
  if (item.ended) return;
  switch (outcome.fate) {
    case Fate::kWaits:
      return;
    case Fate::kAborts:
      process(item.process).end.signal = SIGABRT;
      End(item.process, EndKind::kSignal, outcome.ns);
      return;
    case Fate::kFails:
      CallOf(outcome.item).error =
          "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598]"
          " Read error [127.0.0.1]:29500: Connection reset by peer";
      EndItem(outcome.item, CallState::kFailed, outcome.ns);
      return;
    case Fate::kCompletes:
      EndItem(outcome.item, CallState::kCompleted, outcome.ns);
      const Operation operation = item.statement->operation;
      if (operation == OPERATION_SPLIT || operation == OPERATION_SHRINK) JoinSplit(outcome.item);
  }
}

void Player::EndItem(int index, CallState state, std::int64_t ns) {
  Item& item = matching_.item(index);
  item.ended = true;
  PlayedCall& call = CallOf(index);
  call.state = state;
  call.completed_ns = ns;
  const int work = queues_.OfItem(index);
  if (work < 0 || --queues_.at(work).open > 0) return;
  for (const int next : queues_.Remove(work, ns))
    TryStart(next);
}

// An abort: what is queued on the communicator is not done any more.
void Player::GiveUp(int p, int communicator, std::int64_t ns) {
  for (const int item : queues_.OpenItems(p, communicator)) {
    if (matching_.item(item).ended) continue;
    matching_.item(item).dead = true;
    EndItem(item, CallState::kAborted, std::max(ns, CallOf(item).entered_ns + 1024));
  }
}

}  // namespace rollcall::analyzer::scenario
