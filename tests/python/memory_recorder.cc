#include "tests/python/memory_recorder.h"

#include "interpose/core/recorder.h"
#include "interpose/core/settings.h"

namespace rollcall::tests {

// Never destroyed: threads may capture while the process ends.
MemoryRecorder& TheMemoryRecorder() {
  static auto* const recorder = new MemoryRecorder;
  return *recorder;
}

}  // namespace rollcall::tests

namespace rollcall::interpose {

using tests::MemoryRecorder;
using tests::TheMemoryRecorder;
using Lock = std::lock_guard<std::mutex>;

bool IsRecording() noexcept {
  return TheMemoryRecorder().is_recording;
}

bool PythonStacksAreOn() noexcept {
  return TheMemoryRecorder().stacks_are_on;
}

bool NativeStacksAreOn() noexcept {
  return TheMemoryRecorder().stacks_are_on;
}

std::uint32_t DefineCode(const char* file, std::size_t file_bytes, const char* function,
                         std::size_t function_bytes, std::uint32_t first_line,
                         const void* line_table, std::size_t line_table_bytes) noexcept {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const Lock lock(recorder.mutex);
  if (recorder.is_full) return 0;
  recorder.codes.push_back({std::string(file, file_bytes), std::string(function, function_bytes),
                            first_line,
                            std::string(static_cast<const char*>(line_table), line_table_bytes)});
  return static_cast<std::uint32_t>(recorder.codes.size());
}

std::uint32_t DefinePythonStack(const std::uint32_t* code, const std::int32_t* offsets,
                                std::uint32_t frames, bool truncated) noexcept {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const Lock lock(recorder.mutex);
  if (recorder.is_full) return 0;
  recorder.python_stacks.push_back({{code, code + frames}, {offsets, offsets + frames}, truncated});
  return static_cast<std::uint32_t>(recorder.python_stacks.size());
}

void DefineModule(std::uint32_t epoch, std::uint64_t bias, std::uint64_t low, std::uint64_t high,
                  const void* build_id, std::size_t build_id_bytes, const char* path) noexcept {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const Lock lock(recorder.mutex);
  recorder.modules.push_back({epoch, bias, low, high,
                              std::string(static_cast<const char*>(build_id), build_id_bytes),
                              path});
}

std::uint32_t DefineNativeStack(const std::uint64_t* pcs, std::uint32_t frames, bool truncated,
                                std::uint32_t epoch) noexcept {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const Lock lock(recorder.mutex);
  if (recorder.is_full) return 0;
  recorder.native_stacks.push_back({{pcs, pcs + frames}, epoch, truncated});
  return static_cast<std::uint32_t>(recorder.native_stacks.size());
}

void DefineSetting(const char* name, const char* value) noexcept {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const Lock lock(recorder.mutex);
  recorder.settings[name] = value;
}

}  // namespace rollcall::interpose
