#include "analyzer/model/row_facts.h"

#include <algorithm>
#include <cstring>

namespace rollcall::analyzer {
namespace {

std::int64_t EventTime(std::uint64_t ns) {
  return static_cast<std::int64_t>(std::min(ns, kGreatestTime));
}

std::uint64_t Word(const std::string& data, std::size_t index) {
  std::uint64_t value = 0;
  if (data.size() >= 8 * (index + 1)) std::memcpy(&value, data.data() + 8 * index, 8);
  return value;
}

// Appends to Process::texts; -1 for no text.
int TextIndex(const std::string& text, Process& process) {
  if (text.empty()) return -1;
  if (process.texts.empty() || process.texts.back() != text) process.texts.push_back(text);
  return static_cast<int>(process.texts.size()) - 1;
}

// Appends to Process::splits.
int SplitsIndex(const Event& event, Process& process) {
  const std::size_t words = event.data().size() / 8;
  Splits& splits = process.splits.emplace_back();
  for (std::size_t i = 0; i < words; ++i) {
    const bool input = static_cast<std::int64_t>(i) < event.value();
    (input ? splits.input : splits.output).push_back(Word(event.data(), i));
  }
  return static_cast<int>(process.splits.size()) - 1;
}

}  // namespace

RowFacts::RowFacts(LoadedProcess& loaded) : loaded_(loaded) {
  for (const CellView& cell : loaded.trace.cells) {
    switch (cell.kind) {
      case CELL_POSITION:
        tags_[cell.row] = {cell.value, std::max(1u, cell.extra)};
        break;
      case CELL_ELEMENT:
        elements_[cell.row] = cell.value;
        break;
      default:
        values_[cell.row].push_back(&cell);
    }
  }
  for (const Event& event : loaded.trace.events) {
    if (event.row() == 0 || event.row() / kRollcallRows > kGreatestSequence) continue;
    const auto row = static_cast<std::int64_t>(event.row() - 1);
    events_[row].push_back(&event);
    if (event.kind() != EVENT_MOVED_ROW || event.data().size() < 24) continue;
    Row& moved = moved_rows_.emplace_back();
    moved.number = row;
    moved.shape = static_cast<std::uint32_t>(Word(event.data(), 0));
    moved.entered_ns = EventTime(Word(event.data(), 1));
    moved.started_ns = EventTime(Word(event.data(), 2));
  }
  std::stable_sort(moved_rows_.begin(), moved_rows_.end(),
                   [](const Row& a, const Row& b) { return a.number < b.number; });
  // The recorder repeats them, so that they outlive the reuse of their events.
  moved_rows_.erase(std::unique(moved_rows_.begin(), moved_rows_.end(),
                                [](const Row& a, const Row& b) { return a.number == b.number; }),
                    moved_rows_.end());
}

void RowFacts::ApplyEvents(const Row& row, Call& call) {
  const auto found = events_.find(row.number);
  if (found == events_.end()) return;
  for (const Event* event : found->second) {
    const std::int64_t time = loaded_.Time(EventTime(event->time_ns()));
    switch (event->kind()) {
      case EVENT_FAILED:
        call.state = CallState::kFailed;
        call.completed_ns = time;
        call.error = TextIndex(event->data(), loaded_.process);
        break;
      case EVENT_ABORTED:
        call.state = CallState::kAborted;
        call.completed_ns = time;
        break;
      case EVENT_DISCARDED:
        call.state = CallState::kDiscarded;
        call.completed_ns = time;
        break;
      case EVENT_SPLITS:
        call.splits = SplitsIndex(*event, loaded_.process);
        break;
      case EVENT_LATE_STARTED:
        call.started_ns = loaded_.Time(EventTime(static_cast<std::uint64_t>(event->value())));
        break;
      case EVENT_LATE_COMPLETED:
        call.state = CallState::kCompleted;
        call.completed_ns = loaded_.Time(EventTime(static_cast<std::uint64_t>(event->value())));
        break;
      default:
        break;
    }
  }
}

Call RowFacts::MakeCall(const Row& row, int shape_index) {
  const Shape& shape = loaded_.process.shapes[shape_index];
  Call call;
  call.row = row.number;
  call.shape = static_cast<std::uint32_t>(shape_index);
  call.entered_ns = loaded_.Time(row.entered_ns);
  call.started_ns = loaded_.Time(row.started_ns);
  call.completed_ns = loaded_.Time(row.completed_ns);
  call.count = shape.count;
  call.peer = shape.peer.value_or(-2);
  call.tag = shape.tag.value_or(-1);
  switch (row.end) {
    case RowEnd::kPending:
      call.state = CallState::kPending;
      break;
    case RowEnd::kCompleted:
      call.state = CallState::kCompleted;
      break;
    // Until the event is found: how it ended is not known.
    case RowEnd::kSeeEvent:
    case RowEnd::kNotWatched:
      call.state = CallState::kUnwatched;
      break;
  }
  if (!events_.empty()) ApplyEvents(row, call);
  if (values_.empty()) return call;
  const auto values = values_.find(row.number);
  if (values == values_.end()) return call;
  for (const CellView* cell : values->second) {
    if (cell->kind == CELL_COUNT) call.count = cell->value;
    if (cell->kind == CELL_GROUP) call.group = static_cast<std::uint32_t>(cell->value);
    if (cell->kind == CELL_PEER) call.peer = static_cast<std::int32_t>(cell->value);
    if (cell->kind == CELL_TAG) call.tag = static_cast<std::int64_t>(cell->value);
  }
  return call;
}

const RowFacts::Tag* RowFacts::FindTag(std::int64_t row) const {
  const auto found = tags_.find(row);
  return found == tags_.end() ? nullptr : &found->second;
}

std::uint64_t RowFacts::Element(std::int64_t row) const {
  const auto found = elements_.find(row);
  return found == elements_.end() ? 0 : found->second;
}

}  // namespace rollcall::analyzer
