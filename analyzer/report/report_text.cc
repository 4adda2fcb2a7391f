#include "analyzer/report/report_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/diagnose/words.h"
#include "analyzer/report/text_layout.h"

namespace rollcall::analyzer {
namespace {

constexpr int kMaxFrames = 12;

struct Style {
  bool colour = false;
  int width = 0;  // 0 = no limit
};

std::string Heading(const std::string& text, const Style& style) {
  return absl::StrCat("\n", Paint(text, Colour::kBold, style.colour), "\n");
}

std::string Line(const std::string& file, int line) {
  return line > 0 ? absl::StrCat(file, ":", line) : file;
}

std::string CallText(const CallSide& call) {
  std::string text = absl::StrCat(call.operation(), ", ", call.state());
  std::vector<std::string> arguments;
  const bool sized = call.operation() != "barrier" && call.operation() != "monitored_barrier";
  if (sized && call.count() > 0)
    arguments.push_back(
        absl::StrCat(call.count(), call.datatype().empty() ? "" : " ", call.datatype()));
  if (sized && !call.redop().empty()) arguments.push_back(call.redop());
  if (call.root() >= 0) arguments.push_back(absl::StrCat("root ", call.root()));
  return arguments.empty() ? text : absl::StrCat(text, " (", absl::StrJoin(arguments, ", "), ")");
}

// Ranks that are at one place in one state, as one row.
struct Row {
  std::vector<int> ranks;
  std::string where, what;
  double seconds = -1;
};

// Findings that are about no call (the environment, gradients) have no table, and are said in
// words.
std::string RanksTable(const Finding& finding, const Style& style) {
  if (finding.calls().empty() && finding.kind() != "killed" && finding.kind() != "early_exit")
    return Wrap(finding.message(), "  ", "  ", style.width);
  std::map<int, const SiteSide*> sites;
  for (const SiteSide& site : finding.sites())
    sites.emplace(site.rank(), &site);
  std::map<int, const CallSide*> calls;
  for (const CallSide& call : finding.calls())
    calls.emplace(call.rank(), &call);
  std::vector<int> order(finding.ranks().begin(), finding.ranks().end());
  for (const auto& [rank, site] : sites)
    order.push_back(rank);
  for (const auto& [rank, call] : calls)
    order.push_back(rank);
  std::vector<Row> rows;
  std::vector<int> done;
  for (const int rank : order) {
    if (std::count(done.begin(), done.end(), rank) != 0) continue;
    done.push_back(rank);
    const auto site = sites.find(rank);
    const auto call = calls.find(rank);
    std::string where = "?", what = "not there";
    if (site != sites.end()) where = Line(site->second->file(), site->second->line());
    if (call != calls.end()) what = CallText(*call->second);
    const bool cause = std::count(finding.ranks().begin(), finding.ranks().end(), rank) != 0;
    if (cause && call == calls.end()) {
      what = finding.kind() == "killed"       ? "killed before"
             : finding.kind() == "early_exit" ? "ended before"
                                              : "never came";
    }
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      const bool row_is_cause =
          std::count(finding.ranks().begin(), finding.ranks().end(), row.ranks.front()) != 0;
      return row.where == where && row.what == what && row_is_cause == cause;
    });
    Row& row = same == rows.end() ? rows.emplace_back(Row{{}, where, what, -1}) : *same;
    row.ranks.push_back(rank);
    if (call != calls.end()) row.seconds = std::max(row.seconds, call->second->seconds_in_call());
  }
  if (rows.empty()) return "";
  std::vector<std::vector<std::string>> cells = {
      {"rank", "where", "for",
       finding.position() >= 0 ? absl::StrCat("at position ", finding.position()) : "what"}};
  for (const Row& row : rows) {
    const std::string since =
        row.seconds < 0 ? "-" : Duration(static_cast<std::int64_t>(row.seconds * 1e9));
    cells.push_back({RankNumbers(row.ranks), row.where, since, row.what});
  }
  return Table(cells, "  ", style.width);
}

// Each different stack once, with the source where it can be read.
std::string Stacks(const Finding& finding) {
  std::vector<std::pair<std::vector<int>, const SiteSide*>> stacks;
  const auto frames = [](const SiteSide& site) {
    std::string text;
    for (const FrameSide& frame : site.frames())
      absl::StrAppend(&text, "|", frame.file(), ":", frame.line(), frame.function());
    return text;
  };
  const auto key = [&](const SiteSide& site) { return absl::StrCat(site.api(), frames(site)); };
  // Idle where it made its call: told once.
  const auto told = [&](const SiteSide& site) {
    return site.api().empty() &&
           std::any_of(finding.sites().begin(), finding.sites().end(), [&](const SiteSide& other) {
             return other.rank() == site.rank() && !other.api().empty() &&
                    frames(other) == frames(site);
           });
  };
  for (const SiteSide& site : finding.sites()) {
    if (told(site)) continue;
    const auto same = std::find_if(stacks.begin(), stacks.end(), [&](const auto& stack) {
      return key(*stack.second) == key(site);
    });
    if (same == stacks.end()) {
      stacks.push_back({{site.rank()}, &site});
    } else {
      same->first.push_back(site.rank());
    }
  }
  std::string text;
  for (auto& [ranks, site] : stacks) {
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    absl::StrAppend(&text, "  ", RankWords(ranks),
                    site->api().empty() ? "" : absl::StrCat(", in ", site->api()), "\n");
    std::vector<std::vector<std::string>> rows;
    for (int i = 0; i < site->frames_size() && i < kMaxFrames; ++i) {
      const FrameSide& frame = site->frames(i);
      const std::string where =
          absl::StrCat(Line(frame.file(), frame.line()), frame.function().empty() ? "" : " in ",
                       frame.function());
      rows.push_back({where, SourceLine(frame.path(), frame.line())});
    }
    absl::StrAppend(&text, Table(rows, "    ", 0));
    if (site->frames_size() > kMaxFrames)
      absl::StrAppend(&text, "    and ", site->frames_size() - kMaxFrames, " more frames\n");
  }
  return text;
}

template <typename Texts>
std::string Bullets(const Texts& texts, const Style& style) {
  std::string result;
  for (const std::string& text : texts)
    absl::StrAppend(&result, Wrap(text, "  - ", "    ", style.width));
  return result;
}

std::string FindingText(const Finding& finding, const Style& style) {
  std::string title = absl::StrCat("What happened: ", finding.kind());
  if (!finding.argument().empty()) absl::StrAppend(&title, " (", finding.argument(), ")");
  if (!finding.communicator().empty())
    absl::StrAppend(&title, ", communicator ", finding.communicator());
  std::string text = Heading(title, style);
  absl::StrAppend(&text, RanksTable(finding, style));
  const std::string stacks = Stacks(finding);
  if (!stacks.empty()) absl::StrAppend(&text, Heading("Where", style), stacks);
  if (finding.why_size() > 0)
    absl::StrAppend(&text, Heading("Why", style), Bullets(finding.why(), style));
  if (!finding.advice().empty())
    absl::StrAppend(&text, Heading("What to do", style),
                    Wrap(finding.advice(), "  ", "  ", style.width));
  return text;
}

std::string SuspectsText(const Report& report, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const char* state : {"confirmed", "ruled_out", "not_visible"}) {
    for (const Suspect& suspect : report.suspects()) {
      if (suspect.state() != state) continue;
      std::string words = state;
      std::replace(words.begin(), words.end(), '_', ' ');
      // What was told above is not told again.
      const bool told = std::any_of(
          report.findings().begin(), report.findings().end(),
          [&](const Finding& finding) { return finding.message() == suspect.evidence(); });
      rows.push_back({words, suspect.id(), told ? "see above" : suspect.evidence()});
    }
  }
  return rows.empty()
             ? ""
             : absl::StrCat(Heading("The usual suspects", style), Table(rows, "  ", style.width));
}

Colour VerdictColour(const Report& report) {
  if (report.could_not_analyze()) return Colour::kYellow;
  if (report.findings().empty()) return Colour::kGreen;
  return report.findings(0).severity() == "error" ? Colour::kRed : Colour::kYellow;
}

}  // namespace

std::string TextReport(const Report& report, const TextOptions& options) {
  const Style style{options.colour && !options.plain, options.plain ? 0 : options.width};
  std::string text =
      absl::StrCat(Paint(report.verdict(), VerdictColour(report), style.colour), "\n");
  if (!report.findings().empty()) absl::StrAppend(&text, FindingText(report.findings(0), style));
  if (report.findings_size() > 1) {
    absl::StrAppend(&text, Heading("Also found", style));
    for (int i = 1; i < report.findings_size(); ++i) {
      const Finding& finding = report.findings(i);
      absl::StrAppend(&text, Wrap(absl::StrCat(finding.kind(), " (", finding.severity(),
                                               "): ", finding.message()),
                                  "  - ", "    ", style.width));
    }
  }
  absl::StrAppend(&text, SuspectsText(report, style));
  if (!report.limits().empty())
    absl::StrAppend(&text, Heading("What could not be seen", style),
                    Bullets(report.limits(), style));
  return text;
}

}  // namespace rollcall::analyzer
