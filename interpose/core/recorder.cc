// Placeholder until the writer is there: recording is off.
#include "interpose/core/recorder.h"

namespace rollcall::interpose {

bool EnsureRecording() noexcept { return false; }
bool IsRecording() noexcept { return false; }
std::uint32_t DefineCommunicator(const CommunicatorArguments&) noexcept { return 0; }
void NameCommunicator(std::uint32_t, const char*) noexcept {}
void CommunicatorGone(std::uint32_t) noexcept {}
std::uint32_t DefineCode(const char*, std::size_t, const char*, std::size_t, std::uint32_t, const void*, std::size_t) noexcept { return 0; }
std::uint32_t DefinePythonStack(const std::uint32_t*, const std::int32_t*, std::uint32_t, bool) noexcept { return 0; }
void DefineModule(std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, const void*, std::size_t, const char*) noexcept {}
std::uint32_t DefineNativeStack(const std::uint64_t*, std::uint32_t, bool, std::uint32_t) noexcept { return 0; }
void DefineSetting(const char*, const char*) noexcept {}
Row EnterCall(const CallArguments&, std::uint64_t, std::uint32_t) noexcept { return {}; }
void StartCall(const Row&) noexcept {}
void CompleteCall(const Row&) noexcept {}
void FailCall(const Row&, std::int64_t, const char*, std::size_t) noexcept {}
void UnwatchCall(const Row&) noexcept {}
void EndCallFromOutside(const Row&, std::uint32_t) noexcept {}
void WriteEvent(const EventArguments&) noexcept {}
void StopRecording(const char*, int) noexcept {}

}  // namespace rollcall::interpose
