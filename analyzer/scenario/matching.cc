#include "analyzer/scenario/matching.h"

#include <algorithm>

namespace rollcall::analyzer::scenario {
namespace {

constexpr std::int64_t kTransferNs = 1'000'000;

}  // namespace

std::vector<Outcome> Matching::Activate(int index, std::int64_t ns) {
  Item& of = item(index);
  of.active_ns = ns;
  if (of.rank < 0 || of.dead) return {};
  return of.position >= 0 ? MeetAtPosition(index) : MeetPartner(index);
}

std::vector<Outcome> Matching::MakeRoom(int communicator, int rank, std::int64_t position) {
  std::vector<Outcome> outcomes;
  std::vector<std::vector<int>>& positions = meeting(communicator).positions;
  for (int index = static_cast<int>(items_.size()) - 1; index >= 0; --index) {
    Item& of = item(index);
    if (of.communicator != communicator || of.rank != rank || of.position < position || of.ended)
      continue;
    const auto at = static_cast<std::size_t>(of.position++);
    if (at >= positions.size() || std::erase(positions[at], index) == 0) continue;
    for (const Outcome& outcome : MeetAtPosition(index))
      outcomes.push_back(outcome);
  }
  return outcomes;
}

void Matching::EndProcess(int process) {
  for (Item& of : items_)
    of.dead = of.dead || (of.process == process && !of.ended);
}

std::vector<Outcome> Matching::MeetAtPosition(int index) {
  const Item& of = item(index);
  Meeting& place = meeting(of.communicator);
  const auto position = static_cast<std::size_t>(of.position);
  if (place.positions.size() <= position) place.positions.resize(position + 1);
  std::vector<int>& here = place.positions[position];
  here.push_back(index);
  std::size_t wanted = place.actors.size();
  for (const int other : here) {
    const Statement& statement = *item(other).statement;
    if (statement.operation == OPERATION_SHRINK)
      wanted = place.actors.size() - statement.without.size();
  }
  if (here.size() < wanted) return {};
  std::sort(here.begin(), here.end(), [&](int a, int b) { return item(a).rank < item(b).rank; });
  std::vector<const Statement*> calls;
  std::vector<int> ranks;
  std::int64_t last = 0;
  for (const int other : here) {
    if (item(other).dead) return {};
    calls.push_back(item(other).statement);
    ranks.push_back(item(other).rank);
    last = std::max(last, item(other).active_ns);
  }
  const std::vector<Fate> fates = FatesOfCollective(place.library, calls, ranks);
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (item(here[i]).statement->forced == Forced::kNo && fates[i] != Fate::kWaits)
      outcomes.push_back({here[i], fates[i], last + kTransferNs});
  }
  return outcomes;
}

std::vector<Outcome> Matching::MeetPartner(int index) {
  const Item& of = item(index);
  const Statement& statement = *of.statement;
  Meeting& place = meeting(of.communicator);
  const bool sends = statement.operation == OPERATION_SEND;
  const int peer = *statement.peer;
  // NCCL knows no tags.
  const std::int64_t tag = place.library == LIBRARY_NCCL ? 0 : statement.tag.value_or(0);
  auto& [sends_here, receives_here] =
      place.pairs[{sends ? of.rank : peer, sends ? peer : of.rank, tag}];
  std::deque<int>& mine = sends ? sends_here : receives_here;
  std::deque<int>& theirs = sends ? receives_here : sends_here;
  mine.push_back(index);
  if (theirs.empty() || item(theirs.front()).dead || mine.front() != index) return {};
  const int other = theirs.front();
  mine.pop_front();
  theirs.pop_front();
  const int send = sends ? index : other, recv = sends ? other : index;
  const auto [send_fate, recv_fate] =
      FatesOfPair(place.library, *item(send).statement, *item(recv).statement);
  const std::int64_t ns = std::max(item(send).active_ns, item(recv).active_ns) + kTransferNs;
  std::vector<Outcome> outcomes;
  if (item(send).statement->forced == Forced::kNo) outcomes.push_back({send, send_fate, ns});
  if (item(recv).statement->forced == Forced::kNo && recv_fate != Fate::kWaits)
    outcomes.push_back({recv, recv_fate, ns});
  return outcomes;
}

}  // namespace rollcall::analyzer::scenario
