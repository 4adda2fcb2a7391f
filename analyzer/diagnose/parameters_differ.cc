// arg_mismatch of parameters: DistributedDataParallel compares the parameters of each rank with
// those of rank 0, or their number with everybody's, and raises. Who raised is not who is wrong.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kLikeFirst[] = "";  // those that the check did not stop have what rank 0 has

std::string Between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  const std::size_t to = text.find(end, from + begin.size());
  return to == std::string::npos ? "" : text.substr(from, to - from);
}

// What the exception says of its own rank's parameters: "params[0] in this process with sizes
// [9, 8]", "6 params"; "" = it is another exception.
std::string OwnParameters(const std::string& exception) {
  std::string own = Between(exception, "params[", " appears not to match ");
  if (!own.empty()) return own;
  const std::string counts =
      Between(exception, "DDP expects same model across all ranks", " params");
  const std::size_t count = counts.rfind(' ');
  return count == std::string::npos ? "" : absl::StrCat(counts.substr(count + 1), " parameters");
}

struct Side {
  std::string parameters;
  std::vector<int> ranks;
};

// The largest first.
std::vector<Side> SidesOf(const Examination& exam) {
  std::map<std::string, std::vector<int>> by_parameters;
  bool raised = false;
  for (const int p : exam.processes()) {
    const std::string own = OwnParameters(exam.process(p).end.exception);
    raised = raised || !own.empty();
    by_parameters[own.empty() ? kLikeFirst : own].push_back(exam.process(p).rank);
  }
  if (!raised) return {};
  std::vector<Side> sides;
  for (auto& [parameters, ranks] : by_parameters) {
    std::sort(ranks.begin(), ranks.end());
    sides.push_back({parameters, std::move(ranks)});
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.ranks.size() != b.ranks.size() ? a.ranks.size() > b.ranks.size() : a.ranks < b.ranks;
  });
  return sides;
}

std::string Words(const Side& side) {
  return absl::StrCat(RankWords(side.ranks), ": ",
                      side.parameters.empty() ? "not stopped by the check" : side.parameters);
}

}  // namespace

std::vector<Finding> ParametersDiffer(const Examination& exam) {
  const std::vector<Side> sides = SidesOf(exam);
  if (sides.size() < 2 && (sides.empty() || sides.front().ranks.size() < 2)) return {};
  const bool tie = sides.size() < 2 || sides[0].ranks.size() == sides[1].ranks.size();
  std::vector<int> ranks;
  for (const Side& side : sides) {
    if (tie || &side != &sides.front())
      ranks.insert(ranks.end(), side.ranks.begin(), side.ranks.end());
  }
  Finding finding = NewFinding("arg_mismatch", "error");
  finding.set_argument("parameters");
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  std::string all;
  for (const Side& side : sides) {
    finding.add_why(Words(side));
    if (all.size() < 200) absl::StrAppend(&all, all.empty() ? "" : "; ", Words(side));
  }
  for (const int p : exam.processes()) {
    const int site = exam.sites.OfPythonStack(p, exam.process(p).end.exception_stack);
    if (site == kNoSite) {
      AddStuck(exam, p, &finding);
    } else {
      AddSiteOf(exam, p, site, &finding);
    }
  }
  finding.set_message(absl::StrCat("the model's parameters differ between ranks: ", all));
  finding.add_why(
      "the check compares with one rank and stops those that differ from it: who was stopped is "
      "not therefore wrong");
  if (tie)
    finding.add_why(
        "groups of equal size disagree: which of them is wrong cannot be told by majority, so all "
        "are named");
  finding.set_advice(
      "Build the same model on all ranks before it is wrapped: same layers and sizes, nothing that "
      "depends on the rank or on its data, same requires_grad.");
  return {finding};
}

}  // namespace rollcall::analyzer
