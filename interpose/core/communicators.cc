#include "interpose/core/communicators.h"

#include <string.h>

#include "interpose/core/clock.h"
#include "interpose/core/events.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"
#include "interpose/core/wire_writer.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kMostPath = 512;
constexpr std::size_t kMostName = 256;
constexpr int kPositionBits = 44;

const char* Keep(Recorder& recorder, const char* text, std::size_t most) noexcept {
  const std::size_t bytes = strnlen(text, most);
  auto* const kept = static_cast<char*>(Allocate(recorder.arena, bytes + 1));
  if (!kept) return "";
  memcpy(kept, text, bytes);
  return kept;
}

bool Write(Recorder& recorder, std::uint32_t id, const CommunicatorRecord& record) noexcept {
  const CommunicatorArguments& arguments = record.arguments;
  WireWriter message(recorder.packet, sizeof recorder.packet);
  const std::size_t start = message.BeginMessage(ROLLCALL_Definition_communicator);
  message.Number(ROLLCALL_Communicator_id, id);
  message.Number(ROLLCALL_Communicator_parent, arguments.parent);
  message.Number(ROLLCALL_Communicator_rank, arguments.rank);
  message.Number(ROLLCALL_Communicator_size, arguments.size);
  message.Fixed64(ROLLCALL_Communicator_digest, arguments.digest);
  message.Number(ROLLCALL_Communicator_occurrence, record.occurrence);
  message.Text(ROLLCALL_Communicator_store_path, arguments.store_path, strlen(arguments.store_path),
               kMostPath);
  message.Text(ROLLCALL_Communicator_name, arguments.name, strlen(arguments.name), kMostName);
  message.Number(ROLLCALL_Communicator_library, arguments.library);
  message.Number(ROLLCALL_Communicator_timeout_ms, WireWriter::ZigZag(arguments.timeout_ms));
  message.Number(ROLLCALL_Communicator_flags, arguments.flags);
  message.EndMessage(start);
  // Communicators are few, and nothing makes sense without them.
  const bool written =
      !message.overflowed() &&
      AppendDefinition(recorder, message.data(), message.size(), DefinitionBudget::kReduced);
  if (!written) __atomic_fetch_add(&State(recorder.file).lost_definitions, 1, __ATOMIC_RELAXED);
  return written;
}

std::uint32_t NextOccurrence(const Communicators& communicators, std::uint64_t digest) noexcept {
  for (std::uint32_t id = communicators.count; id > 0; --id)
    if (communicators.by_id[id]->arguments.digest == digest)
      return communicators.by_id[id]->occurrence + 1;
  return 0;
}

}  // namespace

std::uint32_t DefineCommunicator(const CommunicatorArguments& arguments) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return 0;
  const SlowSection section(recorder->mutex);
  Communicators& communicators = recorder->communicators;
  if (communicators.count == kMaxCommunicators) {
    __atomic_fetch_add(&State(recorder->file).lost_definitions, 1, __ATOMIC_RELAXED);
    return 0;
  }
  auto* const record =
      static_cast<CommunicatorRecord*>(Allocate(recorder->arena, sizeof(CommunicatorRecord)));
  if (!record) return 0;
  record->arguments = arguments;
  record->arguments.store_path = Keep(*recorder, arguments.store_path, kMostPath);
  record->arguments.name = Keep(*recorder, arguments.name, kMostName);
  record->occurrence = NextOccurrence(communicators, arguments.digest);
  const std::uint32_t id = communicators.count + 1;
  if (!Write(*recorder, id, *record)) return 0;
  communicators.by_id[id] = record;
  communicators.count = id;
  recorder->last_communicator_ns.store(MonotonicNow(), std::memory_order_relaxed);
  return id;
}

void NameCommunicator(std::uint32_t id, const char* name) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  const SlowSection section(recorder->mutex);
  if (id == 0 || id > recorder->communicators.count) return;
  CommunicatorRecord& record = *recorder->communicators.by_id[id];
  if (strncmp(record.arguments.name, name, kMostName) == 0) return;
  record.arguments.name = Keep(*recorder, name, kMostName);
  Write(*recorder, id, record);
}

void CommunicatorGone(std::uint32_t id) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder || id == 0) return;
  const SlowSection section(recorder->mutex);
  EventFields event;
  event.kind = ROLLCALL_EVENT_COMMUNICATOR_GONE;
  event.value = id;
  PutEvent(*recorder, event);
}

bool NeedsPosition(CommunicatorRecord& communicator, std::uint32_t thread, std::uint64_t sequence,
                   std::uint64_t position, std::uint32_t tags_taken) noexcept {
  const std::uint64_t mask = (std::uint64_t{1} << kPositionBits) - 1;
  const std::uint64_t self = std::uint64_t{thread} << kPositionBits;
  const std::uint64_t before = communicator.expected.exchange(
      self | ((position + tags_taken) & mask), std::memory_order_acq_rel);
  const bool new_block = communicator.position_block.load(std::memory_order_relaxed) != sequence;
  if (new_block) communicator.position_block.store(sequence, std::memory_order_relaxed);
  return new_block || tags_taken != 1 || before != (self | (position & mask));
}

}  // namespace rollcall::interpose
