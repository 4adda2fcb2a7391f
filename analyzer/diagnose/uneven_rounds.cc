// uneven_rounds: ranks left the same loop after different numbers of rounds and went on elsewhere.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

bool SamePlace(const Frame& a, const Frame& b) {
  return a.file == b.file && a.line == b.line && a.function == b.function;
}

// The call comes from the frame of the loop, behind all of its calls: the loop was left. Frames are
// compared from the outside.
bool BehindLoop(const Examination& exam, int site, const std::set<int>& round) {
  const std::vector<Frame>& frames = exam.sites.at(site).frames;
  for (const int in_loop : round) {
    const std::vector<Frame>& theirs = exam.sites.at(in_loop).frames;
    const std::size_t depth = std::min(frames.size(), theirs.size());
    std::size_t common = 0;
    while (common < depth &&
           SamePlace(frames[frames.size() - 1 - common], theirs[theirs.size() - 1 - common]))
      ++common;
    // Deeper than where the stacks part: perhaps a function that the loop calls.
    if (common + 1 != frames.size() || common >= theirs.size()) return false;
    const Frame& here = frames.front();
    const Frame& there = theirs[theirs.size() - 1 - common];
    if (here.file != there.file || here.function != there.function || here.line <= there.line)
      return false;
  }
  return true;
}

// The sites of one round when the call at the divergence would begin a new one; empty when it would
// not.
std::set<int> RoundBegunBy(const Examination& exam, const Sides& sides, int site,
                           std::int64_t* rounds) {
  const std::int64_t position = sides.divergence.position;
  const auto site_at = [&](std::int64_t at) {
    const int of = ClassAt(exam, sides, sides.others, at);
    return of == kNoClass ? kNoSite : exam.classes.at(of).site;
  };
  std::set<int> round;
  std::int64_t last = position - 1;
  for (; last >= 0 && site_at(last) != kNoSite; --last) {
    round.insert(site_at(last));
    if (site_at(last) == site) break;
  }
  if (last < 0 || site_at(last) != site) return {};
  // Back to where the loop was entered: what was made there first begins a round.
  std::int64_t first = last;
  *rounds = 1;
  for (std::int64_t at = last - 1; at >= 0 && round.count(site_at(at)) != 0; --at) {
    if (site_at(at) == site) {
      ++*rounds;
      first = at;
    } else if (at == 0 || round.count(site_at(at - 1)) == 0) {
      return {};  // the loop was entered with another call
    }
  }
  return first >= 0 ? round : std::set<int>{};
}

}  // namespace

std::optional<Finding> UnevenRounds(const Examination& exam, const Sides& sides) {
  const int site = exam.classes.at(sides.others.call_class).site,
            next = exam.classes.at(sides.deviators.call_class).site;
  if (site == kNoSite || next == kNoSite) return std::nullopt;
  std::int64_t rounds = 0;
  const std::set<int> round = RoundBegunBy(exam, sides, site, &rounds);
  if (round.empty() || round.count(next) != 0 || !BehindLoop(exam, next, round))
    return std::nullopt;
  Finding finding = NewFinding("uneven_rounds", "error");
  finding.set_returned_early(true);
  FillMismatch(exam, sides.divergence, {sides.deviators}, &finding);
  const std::vector<int> ranks = Ranks(finding);
  finding.set_message(absl::StrCat(
      RankWords(ranks), " returned early: left the loop at ", SiteWords(exam, site), " after ",
      rounds, rounds == 1 ? " round" : " rounds", " and went on to ", SiteLine(exam, next),
      ", while ", RankWords(RanksOf(exam, sides.divergence.communicator, sides.others.members)),
      " went on in the loop"));
  finding.add_why(
      "another reading: the call behind the loop is an extra one that belongs to no rank's plan");
  finding.set_advice(
      "Give all ranks the same number of rounds: equal batches per rank (drop_last, "
      "DistributedSampler), the same accumulation steps, "
      "or DDP's join() context manager for uneven inputs.");
  return finding;
}

}  // namespace rollcall::analyzer
