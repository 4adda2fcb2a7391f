#include "analyzer/scenario/words.h"

#include <csignal>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr char kC10d[] = "torch/distributed/distributed_c10d.py";

struct SignalWord {
  const char* word;
  int signal;
};
constexpr SignalWord kSignals[] = {{"ABRT", SIGABRT}, {"BUS", SIGBUS},   {"FPE", SIGFPE},
                                   {"HUP", SIGHUP},   {"ILL", SIGILL},   {"INT", SIGINT},
                                   {"KILL", SIGKILL}, {"QUIT", SIGQUIT}, {"SEGV", SIGSEGV},
                                   {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};

}  // namespace

const std::vector<VerbWord>& VerbWords() {
  static const std::vector<VerbWord> table = {
      {"allreduce", Verb::kCall, OPERATION_ALLREDUCE, kWantsData | kWantsRedop, kC10d,
       "all_reduce"},
      {"broadcast", Verb::kCall, OPERATION_BROADCAST, kWantsData | kWantsRoot, kC10d, "broadcast"},
      {"reduce", Verb::kCall, OPERATION_REDUCE, kWantsData | kWantsRedop | kWantsRoot, kC10d,
       "reduce"},
      {"allgather", Verb::kCall, OPERATION_ALLGATHER, kWantsData, kC10d, "all_gather"},
      {"reducescatter", Verb::kCall, OPERATION_REDUCESCATTER, kWantsData | kWantsRedop, kC10d,
       "reduce_scatter"},
      {"gather", Verb::kCall, OPERATION_GATHER, kWantsData | kWantsRoot, kC10d, "gather"},
      {"scatter", Verb::kCall, OPERATION_SCATTER, kWantsData | kWantsRoot, kC10d, "scatter"},
      {"alltoall", Verb::kCall, OPERATION_ALLTOALL, kWantsData, kC10d, "all_to_all_single"},
      {"barrier", Verb::kCall, OPERATION_BARRIER, 0, kC10d, "barrier"},
      {"send", Verb::kCall, OPERATION_SEND, kWantsData | kWantsTo, kC10d, "send"},
      {"recv", Verb::kCall, OPERATION_RECV, kWantsData | kWantsFrom, kC10d, "recv"},
      {"init", Verb::kCall, OPERATION_INIT, kWantsName | kWantsSize, kC10d, "init_process_group"},
      {"split", Verb::kCall, OPERATION_SPLIT, kWantsColor, kC10d, "split_group"},
      {"shrink", Verb::kCall, OPERATION_SHRINK, kWantsWithout, kC10d, "shrink_group"},
      {"finalize", Verb::kCall, OPERATION_FINALIZE, 0, kC10d, "destroy_process_group"},
      {"destroy", Verb::kCall, OPERATION_DESTROY, 0, kC10d, "destroy_process_group"},
      {"abort", Verb::kCall, OPERATION_ABORT, 0, kC10d, "_abort_process_group"},
      {"rendezvous", Verb::kCall, OPERATION_RENDEZVOUS, kWantsSize,
       "torch/distributed/rendezvous.py", "_create_c10d_store"},
      {"group_start", Verb::kCall, OPERATION_GROUP_START, 0, "", ""},
      {"group_end", Verb::kCall, OPERATION_GROUP_END, 0, "", ""},
      {"sync", Verb::kCall, OPERATION_SYNC, 0, "torch/cuda/__init__.py", "synchronize"},
      {"wait", Verb::kWait, OPERATION_UNKNOWN, 0, "", ""},
      {"backward", Verb::kBackward, OPERATION_UNKNOWN, 0, "torch/_tensor.py", "Tensor.backward"},
      {"group", Verb::kGroup, OPERATION_UNKNOWN, 0, "", ""},
      {"capture", Verb::kCapture, OPERATION_UNKNOWN, kWantsName, "", ""},
      {"replay", Verb::kReplay, OPERATION_UNKNOWN, kWantsName, "", ""},
      {"exit", Verb::kExit, OPERATION_UNKNOWN, 0, "", ""},
      {"raise", Verb::kRaise, OPERATION_UNKNOWN, 0, "", ""},
      {"signal", Verb::kSignal, OPERATION_UNKNOWN, 0, "", ""},
      {"vanish", Verb::kVanish, OPERATION_UNKNOWN, 0, "", ""},
      {"absent", Verb::kAbsent, OPERATION_UNKNOWN, 0, "", ""},
      {"restart", Verb::kRestart, OPERATION_UNKNOWN, 0, "", ""},
      {"device", Verb::kDevice, OPERATION_UNKNOWN, 0, "", ""},
      {"busy", Verb::kBusy, OPERATION_UNKNOWN, 0, "", ""},
      {"blocked", Verb::kBlocked, OPERATION_UNKNOWN, 0, "", ""},
      {"late", Verb::kLate, OPERATION_UNKNOWN, 0, "", ""},
      {"after", Verb::kAfter, OPERATION_UNKNOWN, 0, "", ""},
  };
  return table;
}

const VerbWord* FindVerb(const std::string& word) {
  for (const VerbWord& verb : VerbWords()) {
    if (word == verb.word) return &verb;
  }
  return nullptr;
}

Datatype DatatypeOf(const std::string& word) {
  Datatype datatype = DATATYPE_UNKNOWN;
  if (word == absl::AsciiStrToLower(word))
    Datatype_Parse(absl::StrCat("DATATYPE_", absl::AsciiStrToUpper(word)), &datatype);
  return datatype;
}

ReduceOperation RedopOf(const std::string& word) {
  for (const std::string& known : KnownRedops()) {
    ReduceOperation redop = REDUCE_OPERATION_NONE;
    if (word == known &&
        ReduceOperation_Parse(absl::StrCat("REDUCE_OPERATION_", absl::AsciiStrToUpper(word)),
                              &redop))
      return redop;
  }
  return REDUCE_OPERATION_NONE;
}

std::uint32_t BytesOf(Datatype datatype) {
  switch (datatype) {
    case DATATYPE_UNKNOWN:
      return 0;
    case DATATYPE_I16:
    case DATATYPE_F16:
    case DATATYPE_BF16:
      return 2;
    case DATATYPE_I32:
    case DATATYPE_U32:
    case DATATYPE_F32:
      return 4;
    case DATATYPE_I64:
    case DATATYPE_U64:
    case DATATYPE_F64:
    case DATATYPE_C64:
      return 8;
    case DATATYPE_C128:
      return 16;
    default:
      return 1;
  }
}

int SignalOf(const std::string& word) {
  for (const SignalWord& known : kSignals) {
    if (word == known.word) return known.signal;
  }
  return 0;
}

std::vector<std::string> KnownVerbs() {
  std::vector<std::string> words;
  for (const VerbWord& verb : VerbWords())
    words.emplace_back(verb.word);
  return words;
}

std::vector<std::string> KnownDatatypes() {
  return {"i8", "u8", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"};
}

std::vector<std::string> KnownRedops() {
  return {"sum", "prod", "min", "max", "avg"};
}

std::vector<std::string> KnownSignals() {
  std::vector<std::string> words;
  for (const SignalWord& known : kSignals)
    words.emplace_back(known.word);
  return words;
}

}  // namespace rollcall::analyzer::scenario
