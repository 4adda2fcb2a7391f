// Builds the graph of waits of one incarnation: nodes for the turn and the end of every pending
// call, for hosts, and for the meetings of calls with their peers.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "analyzer/waits/waits.h"

namespace rollcall::analyzer {

class WaitBuilder {
 public:
  WaitBuilder(const Job& job, int incarnation, const std::vector<Ending>& endings,
              const std::vector<Start>& starts, const Pairs& pairs, Waits* waits);
  void Build();

  // What a collective waits for; by communicator, position, whether it is a finalize, and whether
  // only its root is waited for.
  struct Meeting {
    int node = 0;
    std::vector<std::pair<int, int>> targets;  // of all who have not reached it: node, process
  };
  const Meeting* FindMeeting(int communicator, std::int64_t position) const;

 private:
  using Key = std::tuple<int, std::int64_t, bool, bool>;

  void AddNodes(int process);
  void AddTurns(int process);
  void AddEnd(int process, const Waits::Pending& pending);
  void AddPeer(int process, const Waits::Pending& pending, const PairEnd& end);
  void AddSync(int process, const Waits::Pending& pending);
  bool IsBusy(int node) const;
  int MeetingOf(int communicator, const Call& call, const Shape& shape, int rank);
  int StartMeeting(const Start& start);
  // The node of what a member has to do at a position; -1 = nothing, or nothing is known.
  int NodeOfMember(int communicator, const Participant& member, std::int64_t position,
                   bool finalizes);
  // Whoever could make the process's next call on a communicator.
  int Caller(int process, int communicator);
  int Gone();
  void Edge(int from, int to) { waits_.graph_.edges.push_back({from, to}); }

  const Process& process(int index) const {
    return job_.processes[static_cast<std::size_t>(index)];
  }
  bool Ended(int index) const { return endings_[static_cast<std::size_t>(index)].own(); }
  bool BreaksOff(int index) const { return endings_[static_cast<std::size_t>(index)].breaks_off; }
  int CommunicatorOf(int process, const Shape& shape) const;

  const Job& job_;
  int incarnation_;
  const std::vector<Ending>& endings_;
  const std::vector<Start>& starts_;
  const Pairs& pairs_;
  Waits& waits_;
  std::vector<std::vector<int>> host_nodes_;  // by process
  std::map<std::pair<int, int>, int> callers_;
  std::map<Key, Meeting> meetings_;
  std::map<const Start*, int> starts_met_;
  std::set<int> turns_that_came_;
  int gone_ = -1;
};

// The circles of the graph, with the ranks that make them.
std::vector<Circle> FindCircles(const Job& job, const WaitGraph& graph,
                                const std::map<int, CallRef>& calls, const WaitBuilder& builder);

}  // namespace rollcall::analyzer
