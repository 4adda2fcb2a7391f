// All that the stages before found out about one incarnation of a job: what the kinds of finding
// are judged from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/align/align.h"
#include "analyzer/match/absence.h"
#include "analyzer/match/ending.h"
#include "analyzer/match/pairs.h"
#include "analyzer/match/start.h"
#include "analyzer/waits/waits.h"

namespace rollcall::analyzer {

struct Examination {
  Examination(const Job& of, const std::string& user_code);

  const Job& job;
  int incarnation;  // the last one
  SiteTable sites;
  CallClasses classes;
  std::vector<Ending> endings;        // by process
  std::vector<int> communicators;     // of the incarnation, in order of judgement: the world first
  std::vector<Alignment> alignments;  // like communicators
  std::vector<std::optional<Absence>> absences;
  std::vector<Start> starts;
  Pairs pairs;  // of sends and receives
  Waits waits;

  const Process& process(int index) const { return job.processes[static_cast<std::size_t>(index)]; }
  const Ending& ending(int index) const { return endings[static_cast<std::size_t>(index)]; }
  const Communicator& communicator(int index) const {
    return job.communicators[static_cast<std::size_t>(index)];
  }
  const std::vector<int>& processes() const {
    return job.incarnations[static_cast<std::size_t>(incarnation)].processes;
  }
  const Shape& ShapeOf(int process_index, const Call& call) const {
    return process(process_index).shapes[call.shape];
  }

  // Global rank of a member; its rank in the communicator where nothing else is known.
  int RankOf(const Participant& member) const;

  // Long enough, or for good: a wait that is worth a finding. Ranks that are on their way are no
  // finding.
  bool Definite(const Absence& absence) const;
  bool Definite(const Start& start) const;
  bool StuckForGood(int process) const;
  // Waits from here on count as hanging.
  std::int64_t PatienceNs() const;
};

}  // namespace rollcall::analyzer
