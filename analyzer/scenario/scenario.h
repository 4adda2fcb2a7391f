// A scenario as written: who takes part, and what each of them does, in order. Made by
// ParseScenario (tests/README.md has the grammar), played by PlayScenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace.pb.h"

namespace rollcall::analyzer::scenario {

// In the text of the scenario, from 1.
struct Place {
  int line = 0, column = 0;
};

enum class Verb {
  kCall,  // a call of the library: `operation` says which
  kWait,  // for what was started with `async`
  kBackward,
  kGroup,  // the opening brace; members follow, then kGroupClose
  kGroupClose,
  kCapture,  // likewise
  kCaptureClose,
  kReplay,
  kExit,
  kRaise,
  kSignal,
  kVanish,
  kAbsent,
  kRestart,
  kDevice,
  kBusy,
  kBlocked,
  kLate,
  kAfter,
};

enum class Forced { kNo, kEntered, kQueued, kCompleted, kFailed, kAborted };
enum class BlockedOn { kLock, kIo, kStore };

struct Statement {
  Place place;
  Verb verb = Verb::kCall;
  std::string word;  // as written
  Operation operation = OPERATION_UNKNOWN;
  std::string communicator = "world";
  // Site. functions: outermost first; empty = module level.
  std::string file;
  int line = 0;
  std::vector<std::string> functions;
  // Arguments.
  Datatype datatype = DATATYPE_UNKNOWN;
  ReduceOperation redop = REDUCE_OPERATION_NONE;
  std::uint64_t count = 0;
  std::optional<int> root, peer;
  std::optional<std::int64_t> tag;
  std::vector<std::uint64_t> splits, receives;  // alltoall: to each rank, from each rank
  int size = 0;              // init, rendezvous
  std::optional<int> rank;   // init
  std::string id;            // init
  std::optional<int> fails;  // init: error code
  std::optional<int> color;  // split; none = takes part in no new communicator
  int key = 0;               // split
  std::vector<int> without;  // shrink
  std::string name;          // init, `as`, capture, replay
  std::string waits_in;      // sync: what makes the host wait, such as cudaFree
  // Modifiers.
  int stream = 0, thread = 0;
  bool in_place = false, async = false;
  bool in_backward = false;  // made by the framework, inside a backward pass begun at the site
  Forced forced = Forced::kNo;
  int repeat = 1;
  // What a process does.
  int code = 0;      // exit; device
  std::string text;  // raise
  bool caught = false;
  int signal = 0;
  double seconds = 0;
  bool progressing = false;
  BlockedOn blocked_on = BlockedOn::kLock;
};

struct CommunicatorFact {
  Place place;
  std::string name;
  std::vector<int> ranks;
  Library library = LIBRARY_UNKNOWN;  // UNKNOWN: the scenario's
};

struct Variable {
  int actor = 0;
  std::string name, value;
};

// An actor is a process: 0..world-1 are the ranks, then those that claim a rank.
struct Scenario {
  std::string name;  // for messages: path of the file
  int world = 0;
  Library backend = LIBRARY_GLOO;
  std::vector<CommunicatorFact> communicators;  // beside the world
  struct ClaimedRank {
    std::string name;
    int rank = 0;
  };
  std::vector<ClaimedRank> further;  // actors world, world + 1, ...
  std::vector<std::string> hosts;    // by actor
  std::vector<Variable> environment;
  std::vector<Statement> statements;
  // By actor: indices in statements, in order, repeats written out.
  std::vector<std::vector<int>> scripts;

  int RankOf(int actor) const {
    return actor < world ? actor : further[static_cast<std::size_t>(actor - world)].rank;
  }
};

}  // namespace rollcall::analyzer::scenario
