#include "analyzer/diagnose/loop.h"

#include <algorithm>

#include "analyzer/diagnose/sequence.h"

namespace rollcall::analyzer {
namespace {

bool SameFunction(const Frame& a, const Frame& b) {
  return a.file == b.file && a.function == b.function;
}

bool SamePlace(const Frame& a, const Frame& b) {
  return a.line == b.line && SameFunction(a, b);
}

int SiteAt(const Examination& exam, const Sides& sides, std::int64_t position) {
  const int of = ClassAt(exam, sides, sides.others, position);
  return of == kNoClass ? kNoSite : exam.classes.at(of).site;
}

// From the frame of the loop, behind all of its calls. Frames are compared from the outside.
bool BehindCalls(const std::vector<Frame>& frames, const std::vector<Frame>& theirs) {
  const std::size_t depth = std::min(frames.size(), theirs.size());
  std::size_t common = 0;
  while (common < depth &&
         SamePlace(frames[frames.size() - 1 - common], theirs[theirs.size() - 1 - common]))
    ++common;
  if (common + 1 != frames.size() || common >= theirs.size()) return false;
  const Frame& here = frames.front();
  const Frame& there = theirs[theirs.size() - 1 - common];
  return SameFunction(here, there) && here.line > there.line;
}

// Functions of the loop's call that are still entered in the other call.
std::size_t SharedFunctions(const std::vector<Frame>& frames, const std::vector<Frame>& theirs) {
  return static_cast<std::size_t>(
      std::count_if(theirs.begin(), theirs.end(), [&](const Frame& frame) {
        return std::any_of(frames.begin(), frames.end(),
                           [&](const Frame& here) { return here.function == frame.function; });
      }));
}

// In earlier runs of the loop the call came behind several rounds.
bool CameBehindBefore(const Examination& exam, const Sides& sides, const Loop& loop, int next) {
  for (std::int64_t at = sides.divergence.position - 1; at > 0; --at) {
    const int site = SiteAt(exam, sides, at);
    if (site == kNoSite) return false;
    if (site != next || loop.sites.count(SiteAt(exam, sides, at - 1)) == 0) continue;
    const auto round = static_cast<std::int64_t>(loop.sites.size());
    std::int64_t calls = 0;
    while (at - 1 - calls >= 0 && loop.sites.count(SiteAt(exam, sides, at - 1 - calls)) != 0)
      ++calls;
    if (calls >= 2 * round) return true;
  }
  return false;
}

// The loop ran as long as the last time, and then a call or two came: who goes on in the loop left
// those out.
bool RanAsUsual(const Examination& exam, const Sides& sides, const Loop& loop) {
  constexpr std::int64_t kFewCalls = 2;
  std::int64_t at = sides.divergence.position - 1;
  const auto count = [&](bool in_loop) {
    std::int64_t calls = 0;
    for (; at >= 0; --at, ++calls) {
      const int site = SiteAt(exam, sides, at);
      if (site == kNoSite || (loop.sites.count(site) != 0) != in_loop) break;
    }
    return calls;
  };
  const std::int64_t run = count(true), between = count(false), run_before = count(true);
  return run == run_before && between <= kFewCalls;
}

// The script shows whole rounds that the deviators lack, and then both sides at their call.
bool LacksWholeRounds(const Sides& sides, const Loop& loop) {
  const EditScript& script = sides.script;
  return script.resynchronised() && script.Begins(EditKind::kMissing) &&
         script.FirstRun() == static_cast<std::int64_t>(script.edits.size()) &&
         script.FirstRun() % static_cast<std::int64_t>(loop.sites.size()) == 0;
}

// The others made whole rounds from here on, and then the deviators' call: so it is behind the
// loop.
bool ComesBehindRounds(const Examination& exam, const Sides& sides, const Loop& loop, int next) {
  std::int64_t at = sides.divergence.position;
  const int first = SiteAt(exam, sides, at);
  std::int64_t rounds = 0;
  for (int site = first; loop.sites.count(site) != 0; site = SiteAt(exam, sides, ++at))
    rounds += site == first ? 1 : 0;
  const std::int64_t calls = at - sides.divergence.position;
  return SiteAt(exam, sides, at) == next && rounds > 0 &&
         calls % static_cast<std::int64_t>(loop.sites.size()) == 0;
}

bool IsMadeInLoop(const Examination& exam, const Sides& sides, int next) {
  for (std::int64_t at = sides.divergence.position - 1; at >= 0; --at) {
    const int site = SiteAt(exam, sides, at);
    if (site == kNoSite) return false;
    if (site == next) return true;
  }
  return false;
}

}  // namespace

Loop LoopOfOthers(const Examination& exam, const Sides& sides) {
  const std::int64_t position = sides.divergence.position;
  const int site = exam.classes.at(sides.others.call_class).site;
  Loop loop;
  if (site == kNoSite) return loop;
  std::int64_t last = position - 1;
  for (; last >= 0 && SiteAt(exam, sides, last) != kNoSite; --last) {
    loop.sites.insert(SiteAt(exam, sides, last));
    if (SiteAt(exam, sides, last) == site) break;
  }
  if (last < 0 || SiteAt(exam, sides, last) != site) return {};
  // Back to where the loop was entered: what was made there first begins a round.
  loop.rounds = 1;
  for (std::int64_t at = last - 1; at >= 0 && loop.sites.count(SiteAt(exam, sides, at)) != 0;
       --at) {
    if (SiteAt(exam, sides, at) == site) {
      ++loop.rounds;
    } else if (at == 0 || loop.sites.count(SiteAt(exam, sides, at - 1)) == 0) {
      return {};  // the loop was entered with another call
    }
  }
  return loop;
}

Leaving LeftLoop(const Examination& exam, const Sides& sides, const Loop& loop) {
  const int next = exam.classes.at(sides.deviators.call_class).site;
  if (loop.sites.empty() || next == kNoSite || loop.sites.count(next) != 0) return Leaving::kNot;
  // A call more, and then on in the loop: it was not left.
  if (sides.script.resynchronised() && sides.script.Begins(EditKind::kInserted) &&
      !Knows(exam, sides.divergence.communicator, sides.others, sides.deviators.call_class))
    return Leaving::kNot;
  // A call of earlier rounds belongs to the round, unless rounds went without it.
  const bool known = IsMadeInLoop(exam, sides, next);
  if (known && loop.rounds < 2 && !CameBehindBefore(exam, sides, loop, next)) return Leaving::kNot;
  if (known && RanAsUsual(exam, sides, loop) && !LacksWholeRounds(sides, loop))
    return Leaving::kNot;
  const std::vector<Frame>& frames = exam.sites.at(next).frames;
  const auto all = [&](const auto& holds) {
    return std::all_of(loop.sites.begin(), loop.sites.end(),
                       [&](int site) { return holds(exam.sites.at(site).frames); });
  };
  if (all([&](const std::vector<Frame>& theirs) { return BehindCalls(frames, theirs); }))
    return Leaving::kLeft;
  // It goes on so on the other side, or it ended so before.
  if (LacksWholeRounds(sides, loop)) return Leaving::kLeft;
  if (!known && ComesBehindRounds(exam, sides, loop, next)) return Leaving::kLeft;
  const bool function_left = all([&](const std::vector<Frame>& theirs) {
    return SharedFunctions(frames, theirs) < theirs.size();
  });
  if (!function_left) return Leaving::kNot;
  const bool none_entered =
      all([&](const std::vector<Frame>& theirs) { return SharedFunctions(frames, theirs) == 0; });
  if (none_entered || (known && loop.rounds > 1) || CameBehindBefore(exam, sides, loop, next))
    return Leaving::kLeft;
  return Leaving::kPerhaps;
}

}  // namespace rollcall::analyzer
