// Definitions that hooks ask for: code objects, stacks, modules, settings.
#include <string.h>

#include "interpose/core/process_state.h"
#include "interpose/core/recorder.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"
#include "interpose/core/wire_writer.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kMostFileText = 1024;
constexpr std::size_t kMostFunctionText = 512;
constexpr std::uint32_t kMostFrames = 1024;

// Writes a definition unless it was written, and gives it the next id of its kind. `encode` writes
// the message into a WireWriter for a given id.
template <class Encode>
std::uint32_t DefineOnce(Recorder& recorder, const ContentDigest& digest, std::uint32_t& last_id,
                         std::uint32_t field, Encode encode) noexcept {
  const std::uint32_t there = FindInterned(recorder.interned, digest);
  if (there) return there;
  const std::uint32_t id = last_id + 1;
  WireWriter message(recorder.packet, sizeof recorder.packet);
  const std::size_t start = message.BeginMessage(field);
  encode(message, id);
  message.EndMessage(start);
  // Settings are few, and tell what else is missing.
  const DefinitionBudget budget = field == ROLLCALL_Definition_setting
                                      ? DefinitionBudget::kReduced
                                      : DefinitionBudget::kOrdinary;
  if (message.overflowed() || !AppendDefinition(recorder, message.data(), message.size(), budget)) {
    __atomic_fetch_add(&State(recorder.file).lost_definitions, 1, __ATOMIC_RELAXED);
    return 0;
  }
  last_id = id;
  Intern(recorder.interned, digest, id);
  return id;
}

}  // namespace

std::uint32_t DefineCode(const char* file, std::size_t file_bytes, const char* function,
                         std::size_t function_bytes, std::uint32_t first_line,
                         const void* line_table, std::size_t line_table_bytes) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return 0;
  ContentDigest digest = StartDigest(ROLLCALL_Definition_code);
  AddToDigest(digest, file, file_bytes);
  AddToDigest(digest, function, function_bytes);
  AddToDigest(digest, &first_line, sizeof first_line);
  AddToDigest(digest, line_table, line_table_bytes);
  const SlowSection section(recorder->mutex);
  return DefineOnce(*recorder, digest, recorder->counts.code, ROLLCALL_Definition_code,
                    [&](WireWriter& message, std::uint32_t id) {
                      message.Number(ROLLCALL_CodeObject_id, id);
                      message.Text(ROLLCALL_CodeObject_file, file, file_bytes, kMostFileText);
                      message.Text(ROLLCALL_CodeObject_function, function, function_bytes,
                                   kMostFunctionText);
                      message.Number(ROLLCALL_CodeObject_first_line, first_line);
                      // A table that is too long is cut: its first lines can still be read.
                      const std::size_t room = message.room() - 8;
                      message.Bytes(ROLLCALL_CodeObject_line_table, line_table,
                                    line_table_bytes < room ? line_table_bytes : room);
                    });
}

std::uint32_t DefinePythonStack(const std::uint32_t* code, const std::int32_t* offsets,
                                std::uint32_t frames, bool truncated) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder || frames == 0) return 0;
  if (frames > kMostFrames) {
    frames = kMostFrames;
    truncated = true;
  }
  ContentDigest digest = StartDigest(ROLLCALL_Definition_python_stack);
  AddToDigest(digest, code, frames * sizeof *code);
  AddToDigest(digest, offsets, frames * sizeof *offsets);
  AddToDigest(digest, &truncated, sizeof truncated);
  const SlowSection section(recorder->mutex);
  return DefineOnce(*recorder, digest, recorder->counts.python_stacks,
                    ROLLCALL_Definition_python_stack, [&](WireWriter& message, std::uint32_t id) {
                      message.Number(ROLLCALL_PythonStack_id, id);
                      std::size_t start = message.BeginMessage(ROLLCALL_PythonStack_code);
                      for (std::uint32_t i = 0; i < frames; ++i)
                        message.Varint(code[i]);
                      message.EndMessage(start);
                      start = message.BeginMessage(ROLLCALL_PythonStack_offset);
                      for (std::uint32_t i = 0; i < frames; ++i)
                        message.Varint(WireWriter::ZigZag(offsets[i]));
                      message.EndMessage(start);
                      message.Number(ROLLCALL_PythonStack_truncated, truncated);
                    });
}

std::uint32_t DefineNativeStack(const std::uint64_t* pcs, std::uint32_t frames, bool truncated,
                                std::uint32_t epoch) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder || frames == 0) return 0;
  if (frames > kMostFrames) {
    frames = kMostFrames;
    truncated = true;
  }
  ContentDigest digest = StartDigest(ROLLCALL_Definition_native_stack);
  AddToDigest(digest, pcs, frames * sizeof *pcs);
  AddToDigest(digest, &epoch, sizeof epoch);
  AddToDigest(digest, &truncated, sizeof truncated);
  const SlowSection section(recorder->mutex);
  return DefineOnce(*recorder, digest, recorder->counts.native_stacks,
                    ROLLCALL_Definition_native_stack, [&](WireWriter& message, std::uint32_t id) {
                      message.Number(ROLLCALL_NativeStack_id, id);
                      message.Bytes(ROLLCALL_NativeStack_pc, pcs, frames * sizeof *pcs);
                      message.Number(ROLLCALL_NativeStack_epoch, epoch);
                      message.Number(ROLLCALL_NativeStack_truncated, truncated);
                    });
}

void DefineModule(std::uint32_t epoch, std::uint64_t bias, std::uint64_t low, std::uint64_t high,
                  const void* build_id, std::size_t build_id_bytes, const char* path) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  ContentDigest digest = StartDigest(ROLLCALL_Definition_module);
  const std::uint64_t numbers[] = {epoch, bias, low, high};
  AddToDigest(digest, numbers, sizeof numbers);
  AddToDigest(digest, path, strlen(path));
  const SlowSection section(recorder->mutex);
  std::uint32_t no_id = 0;
  DefineOnce(*recorder, digest, no_id, ROLLCALL_Definition_module,
             [&](WireWriter& message, std::uint32_t) {
               message.Number(ROLLCALL_Module_epoch, epoch);
               message.Fixed64(ROLLCALL_Module_bias, bias);
               message.Fixed64(ROLLCALL_Module_low, low);
               message.Fixed64(ROLLCALL_Module_high, high);
               message.Bytes(ROLLCALL_Module_build_id, build_id,
                             build_id_bytes < 64 ? build_id_bytes : 64);
               message.Text(ROLLCALL_Module_path, path, strlen(path), kMostFileText);
             });
}

void DefineSetting(const char* name, const char* value) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  ContentDigest digest = StartDigest(ROLLCALL_Definition_setting);
  AddToDigest(digest, name, strlen(name));
  AddToDigest(digest, value, strlen(value));
  const SlowSection section(recorder->mutex);
  DefineOnce(*recorder, digest, recorder->counts.settings, ROLLCALL_Definition_setting,
             [&](WireWriter& message, std::uint32_t) {
               message.Text(ROLLCALL_Setting_name, name, strlen(name), 256);
               message.Text(ROLLCALL_Setting_value, value, strlen(value), 2048);
             });
}

}  // namespace rollcall::interpose
