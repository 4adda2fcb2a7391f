#include "analyzer/diagnose/start_failure.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// The first sentences, on one line.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t kMost = 220;
  if (text.size() > kMost) {
    const std::size_t sentence = text.rfind(". ", kMost);
    text.resize(sentence != std::string::npos ? sentence : text.rfind(' ', kMost));
    if (sentence == std::string::npos) return absl::StrCat(text, " ...");
  }
  const std::size_t end = text.find_last_not_of(" .");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

std::string TextOf(const Examination& exam, const StartCall& of) {
  return of.call->error < 0
             ? ""
             : exam.process(of.process).texts[static_cast<std::size_t>(of.call->error)];
}

// Ports and addresses differ from rank to rank, what happened does not.
std::string WithoutNumbers(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), absl::ascii_isdigit), text.end());
  return text;
}

bool OnOneHost(const Examination& exam, const std::vector<const StartCall*>& calls) {
  return std::all_of(calls.begin(), calls.end(), [&](const StartCall* of) {
    return exam.process(of->process).host == exam.process(calls.front()->process).host;
  });
}

const StartCall* Earliest(const std::vector<const StartCall*>& calls) {
  return *std::min_element(calls.begin(), calls.end(), [](const StartCall* a, const StartCall* b) {
    return a->call->completed_ns < b->call->completed_ns;
  });
}

// Of those with errors of their own: an error of the machine or the settings comes before others,
// and clocks of one host tell who was first.
std::vector<const StartCall*> First(const Examination& exam,
                                    const std::vector<const StartCall*>& own) {
  std::vector<const StartCall*> local, same;
  for (const StartCall* of : own) {
    if (LocalErrorOf(TextOf(exam, *of)) != LocalError::kNone || Serves(exam.process(of->process)))
      local.push_back(of);
  }
  const std::vector<const StartCall*>& from = local.empty() ? own : local;
  if (!OnOneHost(exam, from)) return from;
  const std::string first = WithoutNumbers(TextOf(exam, *Earliest(from)));
  for (const StartCall* of : from) {
    if (WithoutNumbers(TextOf(exam, *of)) == first) same.push_back(of);
  }
  return same;
}

// It tried, and did without: the failure was no end.
bool WentOn(const Examination& exam, const StartCall& of) {
  const std::vector<Call>& calls = exam.process(of.process).calls;
  return std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
    return call.entered_ns > of.call->completed_ns && call.state == CallState::kCompleted;
  });
}

// A failure that says nothing, before the time in which others may come was over: a reaction,
// unless nothing else happened that it could be a reaction to.
bool OnlyThisHappened(const Examination& exam, const StartCall& of) {
  const Shape& shape = exam.ShapeOf(of.process, *of.call);
  constexpr std::int64_t kMs = 1'000'000;
  if (of.call->completed_ns - of.call->entered_ns >= shape.timeout_ms / 10 * 9 * kMs) return false;
  return std::all_of(exam.processes().begin(), exam.processes().end(), [&](int p) {
    const EndKind end = exam.process(p).end.kind;
    return p == of.process || end == EndKind::kAlive || end == EndKind::kUnknown ||
           exam.ending(p).with_job;
  });
}

}  // namespace

std::string StartName(const Examination& exam, const Start& start) {
  if (start.communicator < 0) return "the rendezvous";
  const Communicator& of = exam.communicator(start.communicator);
  if (of.is_world) return "the construction of the world";
  const bool says_group = absl::StartsWith(of.name, "group ");
  return absl::StrCat("the construction of ", says_group ? "" : "group ", of.name);
}

StartFailure FailureIn(const Examination& exam, const Start& start) {
  std::vector<const StartCall*> own, silent;
  for (const StartCall& of : start.calls) {
    if (of.call->state != CallState::kFailed || WentOn(exam, of)) continue;
    const std::string text = TextOf(exam, of);
    if (!IsUnfinished(exam.process(of.process), *of.call)) {
      own.push_back(&of);
    } else if (text.empty() && OnlyThisHappened(exam, of)) {
      silent.push_back(&of);
    }
  }
  StartFailure failure;
  const std::vector<const StartCall*> first = !own.empty() ? First(exam, own)
                                              : silent.size() == 1
                                                  ? silent
                                                  : std::vector<const StartCall*>{};
  if (first.empty()) return failure;
  failure.call = Earliest(first);
  failure.text = OneLine(TextOf(exam, *failure.call));
  failure.local = LocalErrorOf(TextOf(exam, *failure.call));
  failure.concerns_address =
      failure.local == LocalError::kNone
          ? failure.text.empty() && Serves(exam.process(failure.call->process))
          : failure.local != LocalError::kInterfaceUnknown;
  for (const StartCall* of : first)
    failure.processes.push_back(of->process);
  return failure;
}

bool Serves(const Process& process) {
  return process.Setting("rendezvous.role") == "server";
}

std::string EndpointOf(const Process& process) {
  const std::string& endpoint = process.Setting("rendezvous.endpoint");
  if (!endpoint.empty()) return endpoint;
  const std::string& address = process.Setting("env.MASTER_ADDR");
  const std::string& port = process.Setting("env.MASTER_PORT");
  return address.empty() || port.empty() ? "" : absl::StrCat(address, ":", port);
}

std::string PortOf(const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  return colon == std::string::npos ? "" : endpoint.substr(colon + 1);
}

std::string FailureWords(const Examination& exam, const Start& start, const StartFailure& failure) {
  std::vector<int> ranks;
  for (const int p : failure.processes)
    ranks.push_back(exam.process(p).rank);
  std::sort(ranks.begin(), ranks.end());
  const Process& first = exam.process(failure.call->process);
  const std::string endpoint = EndpointOf(first), port = PortOf(endpoint);
  const std::string where =
      absl::StrCat(StartName(exam, start), " at ",
                   SiteWords(exam, exam.sites.OfCall(failure.call->process, *failure.call->call)));
  switch (failure.local) {
    case LocalError::kAddressTaken:
      return absl::StrCat(RankWords(ranks), " could not open ", where, ": ",
                          port.empty() ? "its port" : absl::StrCat("port ", port),
                          " is already taken by another process (address already in use)");
    case LocalError::kListen:
      return absl::StrCat(RankWords(ranks), " could not open ", where, ": it cannot listen on ",
                          port.empty() ? "its port" : absl::StrCat("port ", port));
    case LocalError::kNameUnknown:
      return absl::StrCat(RankWords(ranks), " could not reach ", where, ": the name in ",
                          endpoint.empty() ? "MASTER_ADDR" : endpoint, " has no address there");
    case LocalError::kInterfaceUnknown:
      return absl::StrCat(RankWords(ranks), " failed in ", where,
                          ": the network interface that it is told to use does not exist there");
    case LocalError::kNone:
      break;
  }
  if (!failure.text.empty())
    return absl::StrCat(RankWords(ranks), " failed in ", where, ": ", failure.text);
  const std::string after =
      Duration(failure.call->call->completed_ns - failure.call->call->entered_ns);
  if (start.communicator < 0 && Serves(first))
    return absl::StrCat(RankWords(ranks), " could not open ", where, ": it serves the others at ",
                        endpoint.empty() ? "MASTER_PORT" : endpoint, ", and failed after ", after,
                        "; most often another process has the port");
  return absl::StrCat(RankWords(ranks), " failed in ", where, " after ", after,
                      "; the trace does not say why, its output does");
}

std::string FailureAdvice(const Examination& exam, const StartFailure& failure) {
  const Process& first = exam.process(failure.call->process);
  const std::string port = PortOf(EndpointOf(first));
  const bool may_be_taken =
      failure.local == LocalError::kAddressTaken || (failure.text.empty() && Serves(first));
  if (may_be_taken)
    return absl::StrCat(
        "See on ", first.host, " who has the port: `ss -ltnp",
        port.empty() ? "" : " sport = :", port,
        "`. Often it is what an earlier run left behind: end it. Else set another MASTER_PORT on "
        "all ranks; `torchrun --standalone` finds a free one by itself.");
  switch (failure.local) {
    case LocalError::kListen:
      return "Set a MASTER_PORT above 1023 that nobody uses, and MASTER_ADDR to the machine of "
             "rank 0; see that nothing forbids its processes to listen.";
    case LocalError::kNameUnknown:
      return absl::StrCat("Ask on ", first.host,
                          " for the name in MASTER_ADDR: `getent hosts NAME`. Correct the name, or "
                          "give the address of the machine of rank 0.");
    case LocalError::kInterfaceUnknown:
      return absl::StrCat("See the interfaces of ", first.host,
                          " (`ip -brief address`), and set GLOO_SOCKET_IFNAME or "
                          "NCCL_SOCKET_IFNAME to one of them, or not at all.");
    default:
      return "Mend what the error says, on the machine of that rank; its output has the whole "
             "traceback. The others fail or wait because of it.";
  }
}

}  // namespace rollcall::analyzer
