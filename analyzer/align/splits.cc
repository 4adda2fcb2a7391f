#include "analyzer/align/splits.h"

#include <algorithm>
#include <vector>

#include "analyzer/align/sequences.h"

namespace rollcall::analyzer {
namespace {

// What one member exchanges with each, in bytes where their size is known; empty = not known.
struct Exchange {
  std::vector<std::uint64_t> sends, takes;
  std::uint32_t unit = 0;
};

Exchange ExchangeOf(const Job& job, const Participant& member, std::int64_t position,
                    std::size_t size) {
  Exchange exchange;
  const Call* call = CallAt(job, member, position);
  if (call == nullptr) return exchange;
  const Process& process = job.processes[static_cast<std::size_t>(member.process)];
  const Shape& shape = process.shapes[call->shape];
  if (shape.operation != OPERATION_ALLTOALL) return exchange;
  exchange.unit = shape.element_bytes;
  if (call->splits >= 0) {
    const Splits& splits = process.splits[static_cast<std::size_t>(call->splits)];
    exchange.sends = splits.input;
    exchange.takes = splits.output;
  } else if ((shape.variable & VARIABLE_SPLITS) == 0) {
    exchange.sends = shape.input_splits;
    exchange.takes = shape.output_splits;
    const bool even = exchange.sends.empty() && exchange.takes.empty();
    if (even && call->count % size == 0)
      exchange.sends = exchange.takes = std::vector<std::uint64_t>(size, call->count / size);
  }
  for (std::vector<std::uint64_t>* side : {&exchange.sends, &exchange.takes}) {
    if (side->size() != size) side->clear();
    for (std::uint64_t& elements : *side)
      elements *= std::max(1u, exchange.unit);
  }
  return exchange;
}

}  // namespace

std::optional<SplitsMismatch> CompareSplits(const Job& job, int communicator,
                                            std::int64_t position) {
  const Communicator& of = job.communicators[static_cast<std::size_t>(communicator)];
  const std::size_t size = of.members.size();
  std::vector<Exchange> exchanges;
  for (const Participant& member : of.members)
    exchanges.push_back(ExchangeOf(job, member, position, size));
  SplitsMismatch mismatch;
  std::vector<std::size_t> disagreements(size, 0);
  std::size_t pairs = 0;
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      const Exchange& sender = exchanges[from];
      const Exchange& receiver = exchanges[to];
      if (sender.sends.empty() || receiver.takes.empty() ||
          (sender.unit == 0) != (receiver.unit == 0) || sender.sends[to] == receiver.takes[from])
        continue;
      if (pairs++ == 0) {
        mismatch.sender = static_cast<int>(from);
        mismatch.receiver = static_cast<int>(to);
        mismatch.sent = sender.sends[to];
        mismatch.expected = receiver.takes[from];
      }
      ++disagreements[from];
      if (to != from) ++disagreements[to];
    }
  }
  if (pairs == 0) return std::nullopt;
  // A member in all of several pairs is the one that is wrong; else any end may be.
  const bool one_in_all =
      pairs > 1 && std::count(disagreements.begin(), disagreements.end(), pairs) == 1;
  for (std::size_t m = 0; m < size; ++m) {
    if (one_in_all ? disagreements[m] == pairs : disagreements[m] > 0)
      mismatch.members.push_back(static_cast<int>(m));
  }
  return mismatch;
}

}  // namespace rollcall::analyzer
