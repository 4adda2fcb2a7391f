// Evidence as words: places, calls, who waits in what.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/words.h"
#include "analyzer/match/leaving.h"

namespace rollcall::analyzer {

std::string SiteLine(const Examination& exam, int site) {
  if (site == kNoSite) return "an unknown line";
  const Frame& where = exam.sites.at(site).where();
  return where.line > 0 ? absl::StrCat(where.file, ":", where.line) : where.file;
}

std::string SiteWords(const Examination& exam, int site) {
  if (site == kNoSite) return "an unknown line";
  const std::string& function = exam.sites.at(site).where().function;
  if (function.empty() || function == "<module>") return SiteLine(exam, site);
  return absl::StrCat(SiteLine(exam, site), " in ", function, "()");
}

std::string CallName(const Examination& exam, int process, const Call& call) {
  const Shape& shape = exam.ShapeOf(process, call);
  const std::string operation = OperationWord(shape.operation);
  // What makes the host wait, such as cudaFree.
  if (shape.operation == OPERATION_SYNC && !shape.library_name.empty())
    return absl::StrCat(operation, " in ", shape.library_name, "()");
  const int site = exam.sites.OfCall(process, call);
  if (site == kNoSite) return operation;
  const std::string& api = exam.sites.at(site).api;
  // A barrier is an allreduce of one element under NCCL, whoever asked for it.
  const std::string name = exam.sites.at(site).collective == "barrier" ? "barrier" : operation;
  if (api.find(' ') != std::string::npos) return absl::StrCat(name, " in ", api);
  const std::size_t dot = api.rfind('.');
  if (dot == std::string::npos) return name;
  const std::string last = api.substr(dot + 1);
  std::string plain = last;
  std::erase(plain, '_');
  if (plain == name) return name;
  if (api.substr(0, dot) == "torch.distributed") return last;
  const std::size_t before = api.rfind('.', dot - 1);
  return absl::StrCat(name, " in ", api.substr(before == std::string::npos ? 0 : before + 1), "()");
}

std::string CallWords(const Examination& exam, int process, const Call& call) {
  const Shape& shape = exam.ShapeOf(process, call);
  std::string words = CallName(exam, process, call), inside;
  // "allreduce of 9 f32 in Tensor.backward()".
  if (const std::size_t in = words.find(" in "); in != std::string::npos) {
    inside = words.substr(in);
    words.resize(in);
  }
  if (shape.operation == OPERATION_BARRIER || shape.operation == OPERATION_MONITORED_BARRIER ||
      words == "barrier")
    return absl::StrCat(words, inside);
  std::string type = DatatypeWord(shape.datatype);
  if (type.empty())
    type = shape.element_bytes > 0 ? absl::StrCat("elements of ", shape.element_bytes, " bytes")
                                   : "elements";
  absl::StrAppend(&words, " of ", call.count, " ", type);
  if (shape.redop != REDUCE_OPERATION_NONE)
    absl::StrAppend(&words, " (", RedopWord(shape.redop), ")");
  if (shape.root.has_value()) absl::StrAppend(&words, " with root ", *shape.root);
  return absl::StrCat(words, inside);
}

std::string CommunicatorWords(const Examination& exam, int communicator) {
  const Communicator& of = exam.communicator(communicator);
  return of.is_world ? "in the world" : absl::StrCat("in communicator ", of.name);
}

namespace {

struct Waiters {
  std::vector<int> ranks;
  std::string what;  // "barrier at train.py:57"
  std::int64_t position = 0;
  std::int64_t ns = 0;
};

// Those present in the absence who do not get out, apart from `without` and from who aborted it:
// the largest group of those that wait in the same call.
Waiters WaitersOf(const Examination& exam, const Absence& absence,
                  const std::vector<int>& without) {
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  struct Waiting {
    int member;
    const Call* call;
  };
  std::map<int, std::vector<Waiting>> by_class;
  for (const int m : absence.present) {
    const Participant& member = members[static_cast<std::size_t>(m)];
    const Process& process = exam.process(member.process);
    if (exam.ending(member.process).own() ||
        LeaveOf(process, member.handle).kind == LeaveKind::kAborted ||
        std::count(without.begin(), without.end(), exam.RankOf(member)) != 0)
      continue;
    for (const std::int64_t index : member.calls) {
      const Call& call = process.calls[static_cast<std::size_t>(index)];
      if (call.position < absence.position || !IsUnfinished(process, call)) continue;
      by_class[exam.classes.Of(member.process, call)].push_back({m, &call});
      break;
    }
  }
  if (by_class.empty()) return {};
  const auto most =
      std::max_element(by_class.begin(), by_class.end(), [](const auto& a, const auto& b) {
        return a.second.size() != b.second.size()
                   ? a.second.size() < b.second.size()
                   : a.second.front().member > b.second.front().member;
      });
  Waiters waiters;
  std::vector<int> ours;
  for (const Waiting& of : most->second) {
    ours.push_back(of.member);
    waiters.ns = std::max(
        waiters.ns,
        NsInCall(exam.job, members[static_cast<std::size_t>(of.member)].process, *of.call));
  }
  const Waiting& first = most->second.front();
  const int process = members[static_cast<std::size_t>(first.member)].process;
  const int site = exam.sites.OfCall(process, *first.call);
  waiters.ranks = RanksOf(exam, absence.communicator, ours);
  waiters.position = first.call->position;
  waiters.what = CallName(exam, process, *first.call);
  if (site != kNoSite) absl::StrAppend(&waiters.what, " at ", SiteLine(exam, site));
  return waiters;
}

std::string WaitersWords(const Waiters& waiters, const Absence& absence) {
  return absl::StrCat(RankWords(waiters.ranks), " ",
                      Verb(waiters.ranks, absence.gave_up ? "waited" : "waits",
                           absence.gave_up ? "waited" : "wait"),
                      " in ", waiters.what);
}

}  // namespace

void AddRemarks(const std::vector<RankRemark>& remarks, Finding* finding) {
  constexpr int kMostLines = 16;
  std::vector<std::pair<std::string, std::vector<int>>> lines;
  for (const RankRemark& remark : remarks) {
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& line) { return line.first == remark.second; });
    (same == lines.end() ? lines.emplace_back(remark.second, std::vector<int>{}) : *same)
        .second.push_back(remark.first);
  }
  for (auto& [remark, ranks] : lines) {
    std::sort(ranks.begin(), ranks.end());
    if (finding->why_size() < kMostLines)
      finding->add_why(absl::StrCat(RankWords(ranks), ": ", remark));
  }
}

std::string SinceLastCall(const Examination& exam, int process) {
  const Process& of = exam.process(process);
  const std::int64_t since = PlaceOf(exam, process).since_ns;
  const bool ended = of.end.kind != EndKind::kAlive && of.end.kind != EndKind::kUnknown;
  const std::int64_t until = ended ? of.end.ns : of.last_sign_ns;
  if (since == 0 || until <= since) return "";
  return absl::StrCat(ended ? "ended " : "last sign of life ", Duration(until - since),
                      " after its last call");
}

std::string WaitingWords(const Examination& exam, const Absence& absence) {
  const Waiters waiters = WaitersOf(exam, absence, {});
  return waiters.ranks.empty() ? "" : WaitersWords(waiters, absence);
}

void AddWaitingEvidence(const Examination& exam, const Absence& absence, Finding* finding) {
  Waiters waiters = WaitersOf(exam, absence, Ranks(*finding));
  if (waiters.ranks.empty()) waiters = WaitersOf(exam, absence, {});
  if (!waiters.ranks.empty()) {
    finding->add_why(absl::StrCat(WaitersWords(waiters, absence), ", ",
                                  CommunicatorWords(exam, absence.communicator), " at position ",
                                  waiters.position, ", for up to ", Duration(waiters.ns)));
  }
  std::map<std::string, std::vector<int>> reactions;
  for (const int p : exam.processes()) {
    if (exam.ending(p).part != Part::kReaction) continue;
    // Ports and times differ from rank to rank, what happened does not.
    switch (exam.ending(p).reaction) {
      case LibraryError::kTimeout:
        reactions["gave up with a timeout of the library"].push_back(exam.process(p).rank);
        break;
      case LibraryError::kSize:
        reactions["was aborted by the library: a peer sent more than fits"].push_back(
            exam.process(p).rank);
        break;
      case LibraryError::kDisagreement:
        reactions["was stopped by a check of the library that compares ranks"].push_back(
            exam.process(p).rank);
        break;
      default:
        reactions["ended when a peer's connection was gone"].push_back(exam.process(p).rank);
    }
  }
  for (const auto& [what, ranks] : reactions) {
    finding->add_why(
        absl::StrCat(RankWords(ranks), ": ", what, "; this is a consequence, not the cause"));
  }
}

void AddLastCommonCall(const Examination& exam, int communicator, std::int64_t position,
                       Finding* finding) {
  if (position == 0) {
    finding->add_why(absl::StrCat("no collective call was made before it on communicator ",
                                  exam.communicator(communicator).name));
    return;
  }
  for (const Participant& member : exam.communicator(communicator).members) {
    const Call* call = CallAt(exam.job, member, position - 1);
    if (call == nullptr) continue;
    finding->add_why(absl::StrCat("the last call that all made is ",
                                  CallWords(exam, member.process, *call), " at ",
                                  SiteWords(exam, exam.sites.OfCall(member.process, *call)),
                                  " (position ", position - 1, ")"));
    return;
  }
}

void AddTie(const Divergence& divergence, Finding* finding) {
  if (!divergence.tie()) return;
  const std::size_t both =
      divergence.groups[0].members.size() + divergence.groups[1].members.size();
  finding->add_why(static_cast<std::size_t>(finding->ranks_size()) >= both
                       ? "two groups of equal size disagree: which of them is wrong cannot be told "
                         "by majority, so the ranks of both are named"
                       : "two groups of equal size disagree: there is no majority; the places in "
                         "the code decide whom to name");
}

}  // namespace rollcall::analyzer
