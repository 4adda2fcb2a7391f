#include "tests/generate/fault.h"

namespace rollcall::tests::generate {

const std::vector<Fault>& Faults() {
  static const std::vector<Fault> faults = {
      {"exits early", "early_exit", ExitEarly},
      {"raises an exception", "early_exit", RaiseEarly},
      {"destroys the group early", "early_exit", DestroyEarly},
      {"is killed", "killed", KillRank},
      {"stays away", "missing_rank", StayAway},
      {"is late", "late_rank", BeLate},
      {"makes progress elsewhere", "late_rank", KeepWorking},
      {"makes a call more", "extra_call", MakeExtraCall},
      {"skips a call", "skipped_call", SkipCall},
      {"leaves a loop early", "uneven_rounds", LeaveLoop},
      {"calls another operation", "op_mismatch", ChangeOperation},
      {"swaps two calls", "order_mismatch", SwapCalls},
      {"calls from elsewhere", "site_mismatch", CallFromElsewhere},
      {"passes another count", "arg_mismatch", ChangeCount},
      {"passes another datatype", "arg_mismatch", ChangeDatatype},
      {"passes another reduction", "arg_mismatch", ChangeRedop},
      {"passes another root", "arg_mismatch", ChangeRoot},
      {"passes other splits", "arg_mismatch", ChangeSplits},
      {"two groups crossed", "deadlock_cycle", CrossCommunicators},
      {"ring of sends", "deadlock_cycle", FaceEachOther},
      {"loses its partner", "p2p_unmatched", LosePartner},
      {"sends another size", "p2p_mismatch", ChangeTransferSize},
      {"sends another tag", "p2p_mismatch", ChangeTag},
      {"its device stalls", "device_stall", StallDevice},
      {"aborts alone", "aborted", AbortAlone},
      {"leaves a group open", "group_misuse", LeaveGroupOpen},
      {"uses what it destroyed", "group_misuse", UseAfterDestroy},
      {"misses a creation", "init_incomplete", MissCreation},
      {"creates with another size", "init_incomplete", DisagreeOnSize},
      {"fails to create", "init_incomplete", FailCreation},
      {"misses the rendezvous", "init_incomplete", MissRendezvous},
      {"claims a rank twice", "duplicate_rank", ClaimRankTwice},
      {"all alone", "world_size", BeAlone},
      {"shares a device", "duplicate_device", ShareDevice},
      {"differs in environment", "env_mismatch", DifferInEnvironment},
      {"forgets gradients", "no_gradient_sync", ForgetGradients},
      {"reduces gradients twice", "double_gradient_sync", ReduceTwice},
  };
  return faults;
}

}  // namespace rollcall::tests::generate
