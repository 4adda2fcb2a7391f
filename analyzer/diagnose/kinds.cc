#include "analyzer/diagnose/kinds.h"

namespace rollcall::analyzer {

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {
      // What makes positions meaningless.
      {.name = "duplicate_rank", .start = DuplicateRank},
      {.name = "world_size", .start = WorldSize},
      {.name = "duplicate_device", .start = DuplicateDevice},
      {.name = "killed", .start = KilledAtStart},
      {.name = "init_incomplete", .start = FailedAtStart},
      {.name = "early_exit", .start = LeftAtStart},
      {.name = "init_incomplete", .start = InitIncomplete},
      {.name = "arg_mismatch", .start = ParametersDiffer},
      {.name = "group_misuse",
       .divergence = MisuseBeforeDivergence,
       .absence = GroupMisuse,
       .only = true,
       .quiet = MisuseQuietly},
      // Calls differ: the first that fits.
      {.name = "uneven_rounds", .sides = UnevenRounds, .both_ways = true},
      {.name = "extra_call", .sides = ExtraCall, .both_ways = true},
      {.name = "skipped_call", .sides = SkippedCall},
      {.name = "order_mismatch", .divergence = OrderMismatch},
      {.name = "arg_mismatch", .divergence = ArgMismatch},
      {.name = "site_mismatch", .divergence = SiteMismatch},
      {.name = "op_mismatch", .divergence = OpMismatch},
      // Members have no call there, or all have one and nothing comes of it.
      {.name = "extra_call", .absence = ExtraCallOfFew, .only = true},
      {.name = "aborted", .absence = Aborted, .only = true},
      {.name = "killed", .absence = Killed, .quiet = KilledQuietly},
      {.name = "early_exit", .absence = EarlyExit, .quiet = FailedQuietly},
      {.name = "deadlock_cycle",
       .absence = DeadlockCycle,
       .only = true,
       .leftover = CycleOfPartners,
       .quiet = LatentCycle},
      {.name = "p2p_mismatch", .leftover = P2pMismatch, .quiet = P2pSilentMismatch},
      {.name = "p2p_unmatched", .leftover = P2pUnmatched},
      // Nobody can be named who lacks in a construction: whoever can be named elsewhere comes
      // first.
      {.name = "init_incomplete", .leftover = InitWithoutNames},
      {.name = "missing_rank", .absence = MissingRank, .leftover = UnseenPartner},
      {.name = "late_rank", .absence = LateRank, .only = true},
      {.name = "device_stall", .absence = DeviceStall, .only = true},
      {.name = "all_entered", .absence = AllEntered, .leftover = AllInCreation},
      {.name = "all_entered", .leftover = NothingCompletes},
      {.name = "env_mismatch", .beside = EnvironmentMismatch},
      // Nobody waits at the end, and still something is wrong.
      {.name = "no_gradient_sync", .quiet = NoGradientSync},
      {.name = "double_gradient_sync", .quiet = DoubleGradientSync},
      {.name = "late_rank", .quiet = LateQuietly},
  };
  return kinds;
}

}  // namespace rollcall::analyzer
