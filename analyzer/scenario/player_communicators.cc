// Communicators: those that are there, those that are made in the script, and who is in them.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/scenario/closest_word.h"
#include "analyzer/scenario/player.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr std::int64_t kGatherNs = 2'000'000;

// FNV-1a; never 0.
std::uint64_t DigestOf(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash | 1;
}

}  // namespace

int Player::MeetingOf(const std::string& name, int restarts, Library library,
                      const std::vector<int>& actors) {
  const auto [found, is_new] = meetings_.try_emplace({name, restarts}, 0);
  if (is_new) {
    Meeting meeting;
    meeting.name = name;
    meeting.library = library;
    meeting.actors = actors;
    found->second = matching_.AddMeeting(std::move(meeting));
  }
  return found->second;
}

int Player::Join(int p, int meeting, int parent, int rank, std::uint64_t digest, int occurrence) {
  const Meeting& of = matching_.meeting(meeting);
  PlayedCommunicator communicator;
  communicator.name = of.name;
  communicator.library = of.library;
  communicator.rank = rank;
  communicator.size = static_cast<int>(of.actors.size());
  communicator.parent = parent;
  communicator.digest = digest;
  communicator.occurrence = occurrence;
  if (of.library == LIBRARY_NCCL) communicator.device = process(p).device;
  for (const int actor : of.actors)
    communicator.members.push_back(actor < 0 ? -1 : scenario_.RankOf(actor));
  const int handle = static_cast<int>(process(p).communicators.size());
  process(p).communicators.push_back(std::move(communicator));
  guest(p).meetings.push_back(meeting);
  guest(p).next_position.push_back(0);
  guest(p).handles[of.name] = handle;
  return handle;
}

// The world and the communicators of the scenario's facts.
void Player::JoinDeclared(int p) {
  const int actor = process(p).actor, restarts = process(p).restarts;
  if (!world_is_made_ && guest(p).handles.count("world") == 0) {
    std::vector<int> all;
    for (int rank = 0; rank < scenario_.world; ++rank)
      all.push_back(rank);
    Join(p, MeetingOf("world", restarts, scenario_.backend, all), 0, scenario_.RankOf(actor),
         DigestOf("world"), 0);
  }
  for (const CommunicatorFact& fact : scenario_.communicators) {
    const auto member = std::find(fact.ranks.begin(), fact.ranks.end(), actor);
    if (member == fact.ranks.end() || guest(p).handles.count(fact.name) != 0) continue;
    const Library library = fact.library == LIBRARY_UNKNOWN ? scenario_.backend : fact.library;
    Join(p, MeetingOf(fact.name, restarts, library, fact.ranks), 0,
         static_cast<int>(member - fact.ranks.begin()), DigestOf(fact.name), 0);
  }
}

int Player::HandleOf(const Strand& strand, const Statement& statement) {
  const std::map<std::string, int>& handles = guest(strand.process).handles;
  const auto found = handles.find(statement.communicator);
  if (found != handles.end()) return found->second;
  std::set<std::string> known;
  for (const CommunicatorFact& fact : scenario_.communicators)
    known.insert(fact.name);
  for (const auto& [name, handle] : handles)
    known.insert(name);
  std::string message =
      absl::StrCat("expected a communicator that rank ", scenario_.RankOf(strand.actor),
                   " is in at this point, found '", statement.communicator, "'");
  if (known.count(statement.communicator) == 0) {
    const std::string meant = ClosestWord(statement.communicator, {known.begin(), known.end()});
    if (!meant.empty()) absl::StrAppend(&message, "; did you mean '", meant, "'?");
  }
  Fail(statement, message);
  return -1;
}

// The store: who waits for so many goes on when they are there.
void Player::Gather(Strand& strand, const Statement& statement, std::size_t call) {
  const int p = strand.process;
  process(p).calls[call].started_ns = strand.clock + 1024;
  strand.waits_for_others = true;
  strand.inside = static_cast<int>(call);
  if (statement.forced == Forced::kFailed || statement.forced == Forced::kCompleted) {
    Force(strand, statement, call, matching_.AddItem({}));
    strand.waits_for_others = false;
    strand.inside = -1;
    if (statement.forced == Forced::kCompleted) JoinDeclared(p);
    return;
  }
  Gathering& here = gatherings_[{"", process(p).restarts}];
  const auto self = static_cast<int>(std::find_if(strands_.begin(), strands_.end(),
                                                  [&](const Strand& s) { return &s == &strand; }) -
                                     strands_.begin());
  here.arrivals.push_back({self, call, 0, statement.size});
  for (const Gathering::Arrival& arrival : here.arrivals) {
    Strand& other = strands_[static_cast<std::size_t>(arrival.strand)];
    PlayedCall& of = process(other.process).calls[arrival.call];
    const Statement& its = scenario_.statements[static_cast<std::size_t>(of.statement)];
    if (of.state != CallState::kPending || its.forced == Forced::kEntered ||
        guest(other.process).ended || static_cast<int>(here.arrivals.size()) < arrival.size)
      continue;
    other.clock = std::max(other.clock, strand.clock) + kGatherNs;
    of.state = CallState::kCompleted;
    of.completed_ns = other.clock;
    other.waits_for_others = false;
    other.inside = -1;
    JoinDeclared(other.process);
  }
}

// Creation of a communicator by all its members.
void Player::Init(Strand& strand, const Statement& statement, std::size_t call) {
  const int p = strand.process;
  const std::string key =
      absl::StrCat(statement.name, statement.id.empty() ? "" : "#", statement.id);
  const int occurrence = guest(p).occurrences[key]++;
  const std::string place = absl::StrCat(key, "#", occurrence);
  // Without rank=: its own where the communicator is as large as the world, else by order of
  // coming.
  Gathering& here = gatherings_[{place, process(p).restarts}];
  const int rank = statement.rank.value_or(statement.size >= scenario_.world
                                               ? scenario_.RankOf(strand.actor)
                                               : static_cast<int>(here.arrivals.size()));
  const int meeting = MeetingOf(place, process(p).restarts, scenario_.backend,
                                std::vector<int>(static_cast<std::size_t>(statement.size), -1));
  Meeting& of = matching_.meeting(meeting);
  of.name = statement.name;
  if (rank < static_cast<int>(of.actors.size()) && of.actors[static_cast<std::size_t>(rank)] < 0)
    of.actors[static_cast<std::size_t>(rank)] = strand.actor;
  const int handle = Join(p, meeting, 0, rank, DigestOf(key), occurrence);
  process(p).communicators[static_cast<std::size_t>(handle)].size = statement.size;
  PlayedCall& mine = process(p).calls[call];
  mine.communicator = handle + 1;
  mine.started_ns = strand.clock + 1024;
  if (statement.fails) {
    mine.state = CallState::kFailed;
    mine.completed_ns = strand.clock = strand.clock + 1'000'000;
    mine.error_code = *statement.fails;
    mine.error = absl::StrCat("init failed with error ", *statement.fails);
    return;
  }
  if (statement.forced == Forced::kFailed || statement.forced == Forced::kCompleted) {
    Force(strand, statement, call, matching_.AddItem({}));
    return;
  }
  strand.waits_for_others = true;
  strand.inside = static_cast<int>(call);
  const auto self = static_cast<int>(std::find_if(strands_.begin(), strands_.end(),
                                                  [&](const Strand& s) { return &s == &strand; }) -
                                     strands_.begin());
  here.arrivals.push_back({self, call, rank, statement.size});
  std::set<int> ranks;
  for (const Gathering::Arrival& arrival : here.arrivals) {
    if (arrival.size != statement.size) return;
    ranks.insert(arrival.rank);
  }
  if (static_cast<int>(ranks.size()) < statement.size) return;
  for (const Gathering::Arrival& arrival : here.arrivals) {
    Strand& other = strands_[static_cast<std::size_t>(arrival.strand)];
    PlayedCommunicator& joined =
        process(other.process)
            .communicators[static_cast<std::size_t>(
                process(other.process).calls[arrival.call].communicator - 1)];
    joined.members.clear();
    for (const int actor : of.actors)
      joined.members.push_back(scenario_.RankOf(actor));
    PlayedCall& its = process(other.process).calls[arrival.call];
    if (guest(other.process).ended ||
        scenario_.statements[static_cast<std::size_t>(its.statement)].forced == Forced::kEntered)
      continue;
    other.clock = std::max(other.clock, strand.clock) + kGatherNs;
    its.state = CallState::kCompleted;
    its.completed_ns = other.clock;
    other.waits_for_others = false;
    other.inside = -1;
  }
}

// What a split or shrink that all made gives to one of them.
void Player::JoinSplit(int index) {
  const Item& item = matching_.item(index);
  const Statement& statement = *item.statement;
  const bool shrinks = statement.operation == OPERATION_SHRINK;
  if (!shrinks && !statement.color) return;
  std::vector<int> members;
  for (const int other : matching_.At(item.communicator, item.position)) {
    if (shrinks || matching_.item(other).statement->color == statement.color)
      members.push_back(other);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return !shrinks && matching_.item(a).statement->key < matching_.item(b).statement->key;
  });
  std::vector<int> actors;
  int rank = 0;
  for (const int member : members) {
    if (member == index) rank = static_cast<int>(actors.size());
    actors.push_back(process(matching_.item(member).process).actor);
  }
  const Library library = matching_.meeting(item.communicator).library;
  const std::string place =
      absl::StrCat(matching_.meeting(item.communicator).name, "/", item.communicator, "/",
                   item.position, "/", statement.color.value_or(-1));
  const int meeting = MeetingOf(place, process(item.process).restarts, library, actors);
  matching_.meeting(meeting).name =
      statement.name.empty() ? absl::StrCat(statement.communicator, "/", statement.word,
                                            item.position, ".", statement.color.value_or(0))
                             : statement.name;
  Join(item.process, meeting, CallOf(index).communicator, rank, DigestOf(place), 0);
}

}  // namespace rollcall::analyzer::scenario
