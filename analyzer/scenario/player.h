// The state of a play: hosts that run their scripts, what they wait for, and what is on their way.
// play.cc drives it; see there.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/scenario/matching.h"
#include "analyzer/scenario/play.h"
#include "analyzer/scenario/queues.h"

namespace rollcall::analyzer::scenario {

// A thread of a process that makes calls.
struct Strand {
  int actor = 0, thread = 0;
  int process = 0;  // the actor's now
  std::vector<int> script;
  std::vector<int> places;  // of its statements in the actor's script, all threads together
  std::size_t next = 0;
  std::deque<int> replayed;  // statements that come before the next one
  bool replays = false;      // what it makes now comes from a graph
  std::int64_t clock = 0;
  // Waits for these items, for a creation, or for ever.
  std::vector<int> waits;
  bool waits_for_others = false, stuck = false;
  int inside = -1;  // call that it waits in; -1 = none
  bool parked = false;
  bool over = false;         // no more actions: at its end, or busy elsewhere
  int at = -1;               // statement of its last site
  std::vector<int> started;  // items begun by `async`
  int group_depth = 0;
  int group = 0;  // number of the group it is in
  std::vector<int> grouped;
  std::string capture;  // being recorded; "" = none
  std::map<std::string, std::vector<int>> captures;

  bool Blocked() const { return stuck || waits_for_others || !waits.empty(); }
};

// What the player knows of a process beyond what is in the play.
struct Guest {
  std::map<std::string, int> handles;  // name -> index in PlayedProcess::communicators
  std::vector<int> meetings;           // by that index
  std::vector<std::int64_t> next_position;
  std::map<std::string, int> occurrences;
  std::int64_t last_entered = 0;
  int groups = 0;  // so far
  bool ended = false;
  bool said = false;  // more than calls: an end, busy, ...
};

// Processes that wait until enough of them have come: a store, or the creation of a communicator.
struct Gathering {
  struct Arrival {
    int strand = 0;
    std::size_t call = 0;
    int rank = 0, size = 0;
  };
  std::vector<Arrival> arrivals;
};

class Player {
 public:
  explicit Player(const Scenario& scenario);
  absl::StatusOr<Play> Run();

 private:
  // play.cc
  void AddProcess(int actor, int restarts, std::int64_t clock);
  void JoinDeclared(int process);
  bool ComesLater(const Strand& strand) const;
  bool Step(Strand& strand);
  bool ReleaseParked();
  bool DieInside();
  const Statement* Next(const Strand& strand) const;
  void Do(Strand& strand, const Statement& statement, int index);
  void Finish();

  // player_acts.cc: what a process does.
  void Act(Strand& strand, const Statement& statement, int index);
  void End(int process, EndKind kind, std::int64_t ns);
  void Restart(Strand& strand);
  void Snap(int process, const char* reason, std::int64_t ns, int progress = 0);
  void CountBackward(Strand& strand, int index);

  // player_calls.cc: calls.
  void MakeCall(Strand& strand, const Statement& statement, int index);
  void Capture(Strand& strand, const Statement& statement, int index);
  void OpenGroup(Strand& strand);
  std::size_t Enter(Strand& strand, int index);
  void Collective(Strand& strand, const Statement& statement, std::size_t call);
  void Exclude(int communicator, int rank, std::int64_t position);
  void Submit(Strand& strand, const Statement& statement, std::size_t call, int item);
  void Force(Strand& strand, const Statement& statement, std::size_t call, int item);
  void CloseGroup(Strand& strand, const Statement& statement);
  void Leave(Strand& strand, const Statement& statement, std::size_t call);
  // call: its row, -1 = none.
  void Wait(Strand& strand, int call, std::vector<int> items);

  // player_device.cc: what was submitted.
  void Launch(int process, const std::vector<int>& items, int stream, std::int64_t ns);
  void TryStart(int work);
  void Activate(int item, std::int64_t ns);
  void Settle();
  void EndItem(int item, CallState state, std::int64_t ns);
  void ApplyOutcome(const Outcome& outcome);
  void GiveUp(int process, int communicator, std::int64_t ns);

  // player_communicators.cc
  int Join(int process, int meeting, int parent, int rank, std::uint64_t digest, int occurrence);
  int MeetingOf(const std::string& name, int restarts, Library library,
                const std::vector<int>& actors);
  // Index in PlayedProcess::communicators; -1 = there is none, and the play fails.
  int HandleOf(const Strand& strand, const Statement& statement);
  void Gather(Strand& strand, const Statement& statement, std::size_t call);
  void Init(Strand& strand, const Statement& statement, std::size_t call);
  void JoinSplit(int item);

  PlayedProcess& process(int index) { return play_.processes[static_cast<std::size_t>(index)]; }
  Guest& guest(int index) { return guests_[static_cast<std::size_t>(index)]; }
  PlayedCall& CallOf(int item) {
    const Item& of = matching_.item(item);
    return process(of.process).calls[of.call];
  }
  void Fail(const Statement& statement, const std::string& message);

  const Scenario& scenario_;
  Play play_;
  std::deque<Strand> strands_;
  std::vector<Guest> guests_;
  Matching matching_;
  Queues queues_;
  std::deque<Outcome> outcomes_;
  std::map<std::pair<std::string, int>, int> meetings_;  // by name and restarts
  std::map<std::pair<std::string, int>, Gathering> gatherings_;
  absl::Status status_;
  bool world_is_made_ = false;  // by `init world`
  bool settling_ = false;
};

}  // namespace rollcall::analyzer::scenario
