// The recorder as its hooks see it: definitions on one side, rows on the other. Every function here
// is noexcept, keeps errno, and does nothing when recording is off; a caller never has to check.
//
// Order: EnsureRecording, then define what a call refers to (communicator, stacks), then EnterCall
// *before* the real call, then StartCall / CompleteCall / FailCall after it, from any thread, one
// after the other (a row is handed on only after the stamp of who hands it on; the end is the last
// access).
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

// A claimed row. sequence 0: the call is not recorded; every function accepts such a row and does
// nothing. The other words are the recorder's own.
struct Row {
  std::uint64_t sequence = 0;
  std::uint32_t block = 0;
  std::uint32_t row = 0;
};

constexpr std::int64_t kNoTag = INT64_MIN;
constexpr std::int32_t kNoRank = INT32_MIN;  // root and peer; a peer of -1 means any
constexpr std::uint64_t kNoPosition = UINT64_MAX;
constexpr std::uint32_t kMaxDimensions = 8;
constexpr std::uint32_t kMaxSplits = 64;  // more are kept as a digest alone

// CallShape of trace.proto as a plain value: set every field you know, leave the others.
// It is hashed and compared field by field.
struct CallArguments {
  std::uint32_t operation = 0;  // ROLLCALL_OPERATION_*
  std::uint32_t datatype = 0;
  std::uint32_t redop = 0;
  std::int32_t root = kNoRank;
  std::int32_t peer = kNoRank;
  std::uint32_t communicator = 0;  // id from DefineCommunicator
  std::uint64_t count = 0;
  std::int64_t tag = kNoTag;  // the user's tag of a send or receive only
  std::uint32_t python_stack = 0;
  std::uint32_t native_stack = 0;
  std::uint32_t initiator = 0;
  std::uint32_t element_bytes = 0;
  std::uint32_t flags = 0;
  std::uint32_t tensors = 0;
  std::int64_t timeout_ms = 0;
  std::uint64_t redop_function = 0;
  std::uint32_t dimension_count = 0;
  std::uint32_t input_split_count =
      0;  // may exceed kMaxSplits: then splits_digest alone is written
  std::uint32_t output_split_count = 0;
  std::uint32_t reserved = 0;
  std::uint64_t splits_digest = 0;  // of all splits, 0 = none
  const char* library_name = "";    // a literal
  // As many as the counts above say are set; the others are never read: clearing 1 KiB would cost a
  // call more than everything else here.
  std::int64_t dimensions[kMaxDimensions];
  std::uint64_t input_splits[kMaxSplits];
  std::uint64_t output_splits[kMaxSplits];
};

struct CommunicatorArguments {
  std::uint32_t parent = 0;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::uint32_t library = 0;  // ROLLCALL_LIBRARY_*
  std::uint64_t digest = 0;
  std::uint32_t flags = 0;
  std::int64_t timeout_ms = 0;
  const char* store_path = "";
  const char* name = "";
};

// Opens the trace of this process at its first rendezvous, communicator or collective: chooses
// folder and name, starts the helper, installs what watches the end of the process. Returns whether
// calls are recorded. After the first time it costs one load.
bool EnsureRecording() noexcept;
// Whether recording is on, without turning it on.
bool IsRecording() noexcept;

// Ids from 1; 0 = over the budget, or not recording. The recorder counts occurrences of a digest by
// itself.
std::uint32_t DefineCommunicator(const CommunicatorArguments& communicator) noexcept;
// A name that is learned after the definition (setGroupName).
void NameCommunicator(std::uint32_t communicator, const char* name) noexcept;
void CommunicatorGone(std::uint32_t communicator) noexcept;
// Text may be any bytes: what is not UTF-8 is replaced by the recorder.
std::uint32_t DefineCode(const char* file, std::size_t file_bytes, const char* function,
                         std::size_t function_bytes, std::uint32_t first_line,
                         const void* line_table, std::size_t line_table_bytes) noexcept;
std::uint32_t DefinePythonStack(const std::uint32_t* code, const std::int32_t* offsets,
                                std::uint32_t frames, bool truncated) noexcept;
// One line of the module table; interpose/native writes the lines of an epoch before the first
// stack of that epoch.
void DefineModule(std::uint32_t epoch, std::uint64_t bias, std::uint64_t low, std::uint64_t high,
                  const void* build_id, std::size_t build_id_bytes, const char* path) noexcept;
std::uint32_t DefineNativeStack(const std::uint64_t* pcs, std::uint32_t frames, bool truncated,
                                std::uint32_t epoch) noexcept;
// name is written once per process: a second Set of the same name and value is ignored, of another
// value is appended.
void DefineSetting(const char* name, const char* value) noexcept;

// In the file when it returns. position: tag that the library took for this collective (Gloo), else
// kNoPosition; tags_taken: how many tags this call takes (usually 1; counts beyond that are told by
// later AddTags).
Row EnterCall(const CallArguments& call, std::uint64_t position, std::uint32_t tags_taken) noexcept;
void StartCall(const Row& row) noexcept;
void CompleteCall(const Row& row) noexcept;
// text may be null; cut at 256 bytes. Also ends the row.
void FailCall(const Row& row, std::int64_t code, const char* text, std::size_t text_bytes) noexcept;
// Nobody will see how it ends.
void UnwatchCall(const Row& row) noexcept;
// By somebody who is not the owner of the row, at any time (abort, watchdog).
void EndCallFromOutside(const Row& row, std::uint32_t event_kind) noexcept;

struct EventArguments {
  std::uint32_t kind = 0;  // ROLLCALL_EVENT_*
  Row row;
  std::int64_t value = 0;
  const void* data = nullptr;
  std::size_t data_bytes = 0;
  std::uint32_t tid = 0;
  std::uint32_t python_stack = 0;
  std::uint32_t native_stack = 0;
};
void WriteEvent(const EventArguments& event) noexcept;

// Stops recording for good, says why once on stderr and in the trace; the job goes on.
void StopRecording(const char* why, int error) noexcept;

}  // namespace rollcall::interpose
