#include "analyzer/diagnose/suspects.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/start_failure.h"
#include "analyzer/diagnose/words.h"
#include "analyzer/model/global_rank.h"

namespace rollcall::analyzer {
namespace {

struct Answer {
  const char* state;  // confirmed, ruled_out
  std::string evidence;
};

struct View {
  const Examination& exam;
  const std::vector<Finding>& findings;

  const Finding* Find(std::initializer_list<const char*> kinds) const {
    for (const Finding& finding : findings) {
      const auto is = [&](const char* kind) {
        return finding.kind() == kind && finding.severity() != "note";
      };
      if (std::any_of(kinds.begin(), kinds.end(), is)) return &finding;
    }
    return nullptr;
  }
  std::optional<Answer> ConfirmedBy(std::initializer_list<const char*> kinds) const {
    const Finding* finding = Find(kinds);
    if (finding == nullptr) return std::nullopt;
    return Answer{"confirmed", finding->message()};
  }
  // Every rank made every call, and nobody waits.
  bool in_step() const {
    return findings.empty() &&
           std::none_of(exam.absences.begin(), exam.absences.end(),
                        [](const auto& absence) { return absence.has_value(); });
  }
  std::optional<Answer> ByInStep(const char* what) const {
    if (!in_step()) return std::nullopt;
    return Answer{"ruled_out", what};
  }
  // The members of the world met: each has its own rank, and a call of all of them went through.
  bool world_met() const {
    return std::any_of(exam.communicators.begin(), exam.communicators.end(), [&](int index) {
      const Communicator& of = exam.communicator(index);
      if (!of.is_world || of.members.size() < 2) return false;
      return std::all_of(of.members.begin(), of.members.end(), [&](const Participant& member) {
        if (member.process < 0) return false;
        const Process& process = exam.process(member.process);
        return std::any_of(member.calls.begin(), member.calls.end(), [&](std::int64_t call) {
          return process.calls[static_cast<std::size_t>(call)].state == CallState::kCompleted;
        });
      });
    });
  }
  bool AnyApi(const char* part) const {
    for (const int p : exam.processes()) {
      for (std::uint32_t shape = 0; shape < exam.process(p).shapes.size(); ++shape) {
        const int site = exam.sites.OfShape(p, shape);
        if (site != kNoSite && absl::StrContains(exam.sites.at(site).api, part)) return true;
      }
    }
    return false;
  }
};

// What the environment and the process group of a rank say differently, of the first that differs.
std::optional<Answer> Disagreement(const View& view, bool local_rank) {
  for (const int p : view.exam.processes()) {
    const Process& process = view.exam.process(p);
    const std::string sentence = RankDisagreement(process);
    if (sentence.empty() || (local_rank && !TookLocalRank(process))) continue;
    return Answer{"confirmed", sentence};
  }
  return std::nullopt;
}

// The first start of the job that a rank failed in by itself.
std::optional<StartFailure> FailedStart(const View& view) {
  if (view.Find({"init_incomplete"}) == nullptr) return std::nullopt;
  for (const Start& start : view.exam.starts) {
    StartFailure failure = FailureIn(view.exam, start);
    if (!failure.processes.empty()) return failure;
  }
  return std::nullopt;
}

std::optional<Answer> RankEnvironment(const View& view) {
  if (const auto found = view.ConfirmedBy({"duplicate_rank", "world_size"})) return found;
  const bool disagree =
      std::any_of(view.exam.starts.begin(), view.exam.starts.end(), [&](const Start& start) {
        const auto beyond = [&](const StartCall& of) {
          return view.exam.process(of.process).rank >= start.size;
        };
        return start.communicator < 0 &&
               (start.sizes_differ || std::any_of(start.calls.begin(), start.calls.end(), beyond));
      });
  if (disagree) {
    if (const auto found = view.ConfirmedBy({"init_incomplete"})) return found;
  }
  if (view.world_met())
    return Answer{"ruled_out", "all ranks of the world met, each with its own rank"};
  return Disagreement(view, false);
}
std::optional<Answer> LocalRank(const View& view) {
  if (view.world_met())
    return Answer{"ruled_out", "all ranks of the world met, each with its own rank"};
  return Disagreement(view, true);
}
std::optional<Answer> Port(const View& view) {
  if (view.world_met())
    return Answer{"ruled_out", "the ranks met, and calls between all of them went through"};
  const std::optional<StartFailure> failure = FailedStart(view);
  if (failure.has_value() && failure->concerns_address)
    return view.ConfirmedBy({"init_incomplete"});
  // Names may differ and mean one machine, ports may not; so may names by which only those look who
  // do not get in.
  std::map<std::string, std::set<int>> ranks;  // by endpoint
  std::set<std::string> ports, of_named, of_others;
  const Finding* finding = view.Find({"init_incomplete"});
  for (const int p : view.exam.processes()) {
    const Process& process = view.exam.process(p);
    const std::string endpoint = EndpointOf(process);
    if (endpoint.empty()) continue;
    ranks[endpoint].insert(process.rank);
    ports.insert(PortOf(endpoint));
    const bool named = finding != nullptr && std::count(finding->ranks().begin(),
                                                        finding->ranks().end(), process.rank) != 0;
    (named ? of_named : of_others).insert(endpoint);
  }
  const bool stuck = std::any_of(
      view.exam.starts.begin(), view.exam.starts.end(),
      [&](const Start& start) { return start.communicator < 0 && view.exam.Definite(start); });
  const bool apart = !of_named.empty() && !of_others.empty() &&
                     std::none_of(of_named.begin(), of_named.end(),
                                  [&](const std::string& of) { return of_others.count(of) != 0; });
  if (!stuck || (ports.size() < 2 && !apart)) return std::nullopt;
  std::string words;
  for (const auto& [endpoint, of] : ranks)
    absl::StrAppend(&words, words.empty() ? "" : ", ", RankWords({of.begin(), of.end()}),
                    of.size() == 1 ? " looks" : " look", " for the rendezvous at ", endpoint);
  return Answer{"confirmed", words};
}
std::optional<Answer> Alone(const View& view) {
  const Finding* finding = view.Find({"world_size"});
  if (finding != nullptr && absl::StrContains(finding->message(), "alone"))
    return Answer{"confirmed", finding->message()};
  if (view.world_met()) return Answer{"ruled_out", "the world has more than one rank"};
  return std::nullopt;
}
std::optional<Answer> Device(const View& view) {
  return view.ConfirmedBy({"duplicate_device"});
}
std::optional<Answer> NotWrapped(const View& view) {
  if (const auto found = view.ConfirmedBy({"no_gradient_sync"})) return found;
  if (view.AnyApi("backward") || view.AnyApi("DistributedDataParallel")) {
    return Answer{
        "ruled_out",
        "calls of DistributedDataParallel, or inside the backward pass, are in the traces"};
  }
  return std::nullopt;
}
std::optional<Answer> ReducedTwice(const View& view) {
  return view.ConfirmedBy({"double_gradient_sync"});
}
std::optional<Answer> UnevenBatches(const View& view) {
  if (const auto found = view.ConfirmedBy({"uneven_rounds"})) return found;
  return view.ByInStep("all ranks made the same calls");
}
std::optional<Answer> Accumulation(const View& view) {
  return view.ByInStep("all ranks made the same calls");
}
std::optional<Answer> Parameters(const View& view) {
  const Finding* finding = view.Find({"arg_mismatch", "op_mismatch"});
  if (finding != nullptr) {
    for (const SiteSide& site : finding->sites()) {
      if (absl::StrContains(site.api(), "DistributedDataParallel") ||
          absl::StrContains(site.api(), "backward")) {
        return Answer{"confirmed", finding->message()};
      }
    }
  }
  return view.ByInStep("all ranks made the same calls with equal arguments");
}
std::optional<Answer> Conditional(const View& view) {
  if (const auto found = view.ConfirmedBy({"extra_call", "skipped_call"})) return found;
  return view.ByInStep("all ranks made the same calls");
}
std::optional<Answer> EndedEarly(const View& view) {
  if (const auto found = view.ConfirmedBy({"early_exit", "killed"})) return found;
  if (FailedStart(view).has_value()) return view.ConfirmedBy({"init_incomplete"});
  const auto& processes = view.exam.processes();
  if (std::none_of(processes.begin(), processes.end(),
                   [&](int p) { return view.exam.ending(p).own(); })) {
    return Answer{"ruled_out", "no rank ended by itself"};
  }
  return view.ByInStep("no rank ended before its peers were done");
}
std::optional<Answer> Barrier(const View& view) {
  for (const Finding& finding : view.findings) {
    const bool at_barrier =
        std::any_of(finding.calls().begin(), finding.calls().end(),
                    [](const CallSide& call) { return call.operation() == "barrier"; }) ||
        std::any_of(finding.sites().begin(), finding.sites().end(),
                    [](const SiteSide& site) { return absl::EndsWith(site.api(), ".barrier"); });
    if (at_barrier && (finding.kind() == "missing_rank" || finding.kind() == "extra_call" ||
                       finding.kind() == "skipped_call" || finding.kind() == "early_exit")) {
      return Answer{"confirmed", finding.message()};
    }
  }
  return view.ByInStep("all ranks made the same calls");
}
std::optional<Answer> Checkpoint(const View& view) {
  const Finding* finding = view.Find({"missing_rank", "late_rank"});
  if (finding != nullptr) {
    for (const SiteSide& site : finding->sites()) {
      if (std::count(finding->ranks().begin(), finding->ranks().end(), site.rank()) == 0) continue;
      const bool saves =
          std::any_of(site.frames().begin(), site.frames().end(), [](const FrameSide& frame) {
            return absl::StrContains(frame.function(), "save") ||
                   absl::StrContains(frame.function(), "checkpoint");
          });
      if (saves) return Answer{"confirmed", finding->message()};
    }
  }
  return view.ByInStep("no rank waits for another");
}
std::optional<Answer> LoaderWorker(const View& view) {
  for (const int p : view.exam.processes()) {
    const std::string& exception = view.exam.process(p).end.exception;
    if (absl::StrContains(exception, "DataLoader worker")) {
      return Answer{"confirmed", absl::StrCat("rank ", view.exam.process(p).rank, ": ", exception)};
    }
  }
  return std::nullopt;
}
std::optional<Answer> SharedFile(const View& view) {
  std::map<std::pair<std::string, std::string>, std::set<int>> writers;  // by host and file
  bool any = false;
  for (const int p : view.exam.processes()) {
    for (const Snapshot& snapshot : view.exam.process(p).snapshots) {
      any = true;
      for (const std::string& file : snapshot.files) {
        // What the launcher redirects output to is shared by intention.
        const bool output = absl::EndsWith(file, ".log") || absl::EndsWith(file, ".out") ||
                            absl::EndsWith(file, ".err") || absl::EndsWith(file, ".txt") ||
                            absl::StartsWith(file, "/dev/");
        if (!output) writers[{view.exam.process(p).host, file}].insert(view.exam.process(p).rank);
      }
    }
  }
  for (const auto& [file, ranks] : writers) {
    if (ranks.size() < 2) continue;
    return Answer{"confirmed", absl::StrCat(RankWords({ranks.begin(), ranks.end()}), " have ",
                                            file.second, " open for writing")};
  }
  if (any)
    return Answer{"ruled_out",
                  "no file was open for writing in two ranks when their state was recorded"};
  return std::nullopt;
}
std::optional<Answer> BatchNorm(const View& view) {
  if (view.AnyApi("SyncBatchNorm"))
    return Answer{"ruled_out", "calls of SyncBatchNorm are in the traces"};
  return std::nullopt;
}
std::optional<Answer> Backend(const View& view) {
  std::map<std::string, std::set<std::string>> values;
  for (const int p : view.exam.processes()) {
    for (const CommunicatorHandle& handle : view.exam.process(p).communicators) {
      if (handle.communicator >= 0)
        values[absl::StrCat(handle.communicator)].insert(Library_Name(handle.library));
    }
  }
  if (values.empty()) return std::nullopt;
  if (std::all_of(values.begin(), values.end(),
                  [](const auto& of) { return of.second.size() == 1; })) {
    return Answer{"ruled_out", "the members of every group use one library"};
  }
  return Answer{"confirmed", "the members of a group use different libraries"};
}
std::optional<Answer> Versions(const View& view) {
  std::map<std::string, std::set<std::string>> values;
  for (const int p : view.exam.processes()) {
    for (const auto& [name, value] : view.exam.process(p).settings) {
      if (absl::EndsWith(name, ".version")) values[name].insert(value);
    }
  }
  for (const auto& [name, different] : values) {
    if (different.size() > 1)
      return Answer{"confirmed",
                    absl::StrCat(name, " is ", *different.begin(), " on some ranks and ",
                                 *different.rbegin(), " on others")};
  }
  // Python's version alone says nothing about PyTorch's.
  if (values.size() > 1) return Answer{"ruled_out", "the recorded versions are equal on all ranks"};
  return std::nullopt;
}
std::optional<Answer> Timeout(const View& view) {
  const auto& processes = view.exam.processes();
  const bool any = std::any_of(processes.begin(), processes.end(), [&](int p) {
    return view.exam.ending(p).reaction == LibraryError::kTimeout;
  });
  if (!any) return Answer{"ruled_out", "no rank gave up with a timeout"};
  if (const auto found = view.ConfirmedBy({"late_rank"})) return found;
  if (view.Find({"early_exit", "killed", "op_mismatch", "arg_mismatch", "extra_call",
                 "skipped_call", "uneven_rounds"}) != nullptr) {
    return Answer{"ruled_out", "ranks timed out, but a longer wait would not have helped"};
  }
  return std::nullopt;
}

struct Row {
  const char* id;
  std::optional<Answer> (*ask)(const View&);  // null: never visible in collective traces
  const char* check;                          // what settles it when it is not visible
};

constexpr Row kRows[] = {
    {"rank_environment", RankEnvironment,
     "print RANK, WORLD_SIZE and LOCAL_RANK at the start of every process"},
    {"local_rank_as_rank", LocalRank, "see that init_process_group gets RANK, not LOCAL_RANK"},
    {"port_or_address", Port,
     "see that MASTER_ADDR and MASTER_PORT are equal everywhere, free, and reachable from every "
     "machine"},
    {"every_process_alone", Alone, "print torch.distributed.get_world_size()"},
    {"device_per_rank", Device, "print torch.cuda.current_device() on every rank"},
    {"model_not_wrapped", NotWrapped,
     "see that the model that is trained is the one that DistributedDataParallel returned"},
    {"gradients_reduced_twice", ReducedTwice,
     "look for an all_reduce of gradients beside DistributedDataParallel"},
    {"uneven_batches", UnevenBatches,
     "print the number of batches on every rank; set drop_last=True"},
    {"accumulation_steps", Accumulation,
     "print the accumulation steps, and where no_sync() is entered, on every rank"},
    {"parameters_differ", Parameters,
     "print the number and shapes of parameters, and requires_grad, on every rank"},
    {"collective_under_condition", Conditional,
     "look for collective calls under a condition that depends on the rank or its data"},
    {"early_exit", EndedEarly, "look at the exit status and the output of every rank"},
    {"barrier_on_some_ranks", Barrier,
     "see that every barrier is reached by all ranks of its group"},
    {"slow_checkpoint", Checkpoint, "measure how long saving takes, against the timeout"},
    {"data_loader_worker", LoaderWorker, "run once with num_workers=0"},
    {"sampler", nullptr,
     "see that DistributedSampler is passed to the loader and set_epoch is called"},
    {"output_file_shared", SharedFile, "see that only one rank writes each file"},
    {"sync_batchnorm", BatchNorm, "see whether convert_sync_batchnorm is wanted"},
    {"loss_not_reduced", nullptr, "all_reduce the loss before it is printed"},
    {"optimizer_before_wrapping", nullptr,
     "make the optimizer from the parameters of the wrapped model"},
    {"grad_scaler", nullptr, "print the scale of GradScaler on every rank"},
    {"sparse_gradients", nullptr, "look for Embedding(sparse=True)"},
    {"bucket_size", nullptr, "compare bucket_cap_mb on all ranks"},
    {"backend_differs", Backend, "print torch.distributed.get_backend() on every rank"},
    {"versions_differ", Versions, "print torch.__version__ on every machine"},
    {"timeout_too_short", Timeout,
     "compare the timeout of the group with how long the slowest rank may take"},
    {"library_bug", nullptr,
     "run a minimal program with the same calls, and another version of PyTorch or NCCL"},
};

}  // namespace

std::vector<Suspect> Suspects(const Examination& exam, const std::vector<Finding>& findings) {
  const View view{exam, findings};
  std::vector<Suspect> suspects;
  for (const Row& row : kRows) {
    const std::optional<Answer> answer = row.ask == nullptr ? std::nullopt : row.ask(view);
    Suspect suspect;
    suspect.set_id(row.id);
    suspect.set_state(answer.has_value() ? answer->state : "not_visible");
    suspect.set_evidence(answer.has_value() ? answer->evidence
                                            : absl::StrCat("check: ", row.check));
    suspects.push_back(std::move(suspect));
  }
  return suspects;
}

}  // namespace rollcall::analyzer
