#include "analyzer/model/copies.h"

#include <map>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

// The time of its opening tells the trace of a process from the one it began anew after exec.
auto Identity(const Header& header) {
  return std::tuple(header.host(), header.boot_id(), header.pid(), header.start_ticks(),
                    header.monotonic_ns());
}

// Whole before damaged, later before earlier, then as sorted by path.
bool TellsMore(const TraceFile& a, const TraceFile& b) {
  const auto quality = [](const TraceFile& trace) {
    return std::tuple(trace.state == TraceState::kComplete, -trace.damaged_blocks,
                      trace.process_state.heartbeat_ns, trace.bytes);
  };
  return quality(a) > quality(b);
}

}  // namespace

std::vector<std::string> LeaveOutCopies(std::vector<LoadedProcess>& loaded) {
  std::map<decltype(Identity(Header())), TraceFile*> best;
  for (LoadedProcess& one : loaded) {
    if (!one.trace.usable) continue;
    const auto [found, is_new] = best.try_emplace(Identity(one.trace.header), &one.trace);
    if (!is_new && TellsMore(one.trace, *found->second)) found->second = &one.trace;
  }
  std::vector<std::string> sentences;
  for (LoadedProcess& one : loaded) {
    if (!one.trace.usable) continue;
    const TraceFile* kept = best.at(Identity(one.trace.header));
    if (kept == &one.trace) continue;
    one.trace.usable = false;
    one.trace.message.clear();  // what is wrong with it does not matter
    sentences.push_back(absl::StrCat(one.trace.path, ": a copy of the trace ", kept->path,
                                     ", which tells at least as much: left out"));
  }
  return sentences;
}

}  // namespace rollcall::analyzer
