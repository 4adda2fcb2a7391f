#include "analyzer/diagnose/kinds.h"

namespace rollcall::analyzer {

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {
      // What makes positions meaningless.
      {.name = "duplicate_rank", .start = DuplicateRank},
      {.name = "world_size", .start = WorldSize},
      {.name = "killed", .start = KilledAtStart},
      {.name = "early_exit", .start = LeftAtStart},
      {.name = "init_incomplete", .start = InitIncomplete},
      // Calls differ: the first that fits.
      {.name = "uneven_rounds", .sides = UnevenRounds, .both_ways = true},
      {.name = "extra_call", .sides = ExtraCall},
      {.name = "skipped_call", .sides = SkippedCall},
      {.name = "order_mismatch", .divergence = OrderMismatch},
      {.name = "arg_mismatch", .divergence = ArgMismatch},
      {.name = "site_mismatch", .divergence = SiteMismatch},
      {.name = "op_mismatch", .divergence = OpMismatch},
      // Members have no call there, or all have one and nothing comes of it.
      {.name = "extra_call", .absence = ExtraCallOfFew, .only = true},
      {.name = "killed", .absence = Killed, .quiet = KilledQuietly},
      {.name = "early_exit", .absence = EarlyExit, .quiet = FailedQuietly},
      {.name = "deadlock_cycle",
       .absence = DeadlockCycle,
       .only = true,
       .leftover = CycleOfPartners},
      {.name = "p2p_mismatch", .leftover = P2pMismatch},
      {.name = "p2p_unmatched", .leftover = P2pUnmatched},
      {.name = "missing_rank", .absence = MissingRank},
      {.name = "late_rank", .absence = LateRank, .only = true},
      {.name = "all_entered", .absence = AllEntered},
  };
  return kinds;
}

}  // namespace rollcall::analyzer
