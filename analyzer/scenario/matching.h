// How calls of several processes meet: collectives by position, sends with receives in their order,
// creations when all have come; and what becomes of those that do not fit together.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/scenario/scenario.h"

namespace rollcall::analyzer::scenario {

// One call of one process, as its peers see it.
struct Item {
  int process = 0;       // index in Play::processes
  std::size_t call = 0;  // index in PlayedProcess::calls
  const Statement* statement = nullptr;
  int communicator = -1;       // index in Matching's communicators
  std::int64_t position = -1;  // of collectives
  int rank = -1;               // in the communicator; -1 = no member: never matched
  std::int64_t active_ns = 0;  // when its turn came; 0 = not yet
  bool ended = false;          // completed or given up
  bool dead = false;           // its process ended before it was matched
};

// What becomes of an item.
enum class Fate { kCompletes, kWaits, kAborts, kFails };

struct Outcome {
  int item = 0;
  Fate fate = Fate::kWaits;
  std::int64_t ns = 0;
};

// A communicator of the play. Every incarnation of the job has its own.
struct Meeting {
  std::string name;
  Library library = LIBRARY_UNKNOWN;
  int parent = -1;
  std::vector<int> actors;  // by rank
  int occurrence = 0;
  // By position: items in it.
  std::vector<std::vector<int>> positions;
  // (source, destination, tag) -> sends and receives that wait, in order.
  std::map<std::tuple<int, int, std::int64_t>, std::pair<std::deque<int>, std::deque<int>>> pairs;
  // Position and rank of those whom a shrink leaves out.
  std::set<std::pair<std::int64_t, int>> excluded;
};

class Matching {
 public:
  int AddMeeting(Meeting meeting) {
    meetings_.push_back(std::move(meeting));
    return static_cast<int>(meetings_.size()) - 1;
  }
  Meeting& meeting(int index) { return meetings_[static_cast<std::size_t>(index)]; }
  int AddItem(const Item& item) {
    items_.push_back(item);
    return static_cast<int>(items_.size()) - 1;
  }
  Item& item(int index) { return items_[static_cast<std::size_t>(index)]; }

  // What it had not ended is never matched.
  void EndProcess(int process);
  // The items at a position, by rank.
  const std::vector<int>& At(int communicator, std::int64_t position) {
    return meeting(communicator).positions[static_cast<std::size_t>(position)];
  }

  // The turn of an item has come. What that decides, of it and of others; forced ones decide
  // themselves.
  std::vector<Outcome> Activate(int index, std::int64_t ns);
  // A shrink leaves the rank out: its calls from that position on come one later. What that
  // decides.
  std::vector<Outcome> MakeRoom(int communicator, int rank, std::int64_t position);

 private:
  std::vector<Outcome> MeetAtPosition(int index);
  std::vector<Outcome> MeetPartner(int index);

  std::vector<Meeting> meetings_;
  std::deque<Item> items_;
};

// Bytes that the call moves.
std::uint64_t BytesOf(const Statement& statement);

// What becomes of a collective in which all have come. In the order of `calls`; by rank.
std::vector<Fate> FatesOfCollective(Library library, const std::vector<const Statement*>& calls,
                                    const std::vector<int>& ranks);
// Of a send and its receive.
std::pair<Fate, Fate> FatesOfPair(Library library, const Statement& send, const Statement& recv);

}  // namespace rollcall::analyzer::scenario
