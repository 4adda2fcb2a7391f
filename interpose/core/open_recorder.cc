#include "interpose/core/open_recorder.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/core/environment.h"
#include "interpose/core/file_systems.h"
#include "interpose/core/helper_thread.h"
#include "interpose/core/life.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/settings.h"
#include "interpose/core/slow_section.h"
#include "interpose/core/trace_folder.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kDefaultBound = std::uint64_t{64} << 20;
constexpr std::uint64_t kDefaultBoundInMemory = std::uint64_t{16} << 20;
constexpr std::uint32_t kMostAhead = 8;
constexpr unsigned kMostNames = 100;

// One line, so that ranks' messages do not mix.
void Say(const char* what, const char* where, int error) noexcept {
  if (!MessagesAreOn()) return;
  char text[4096];
  char reason[128];
  // GNU's strerror_r: may return a text of its own.
  const char* const words = strerror_r(error, reason, sizeof reason);
  const int bytes =
      snprintf(text, sizeof text, "rollcall: %s%s%s%s%s; the job goes on, not recorded\n", what,
               *where ? " " : "", where, error ? ": " : "", error ? words : "");
  if (bytes <= 0) return;
  const auto length = static_cast<std::size_t>(bytes) < sizeof text
                          ? static_cast<std::size_t>(bytes)
                          : sizeof text - 1;
  if (write(STDERR_FILENO, text, length) < 0) return;  // nobody to tell
}

int CreateFile(TraceFile& file, const OpenOptions& options) noexcept {
  if (const int error = MakeTraceFolder(options.folder, file.folder, sizeof file.folder))
    return error;
  const FileSystemTraits traits = TraitsOfFolder(file.folder);
  file.written = options.write_through || !traits.maps_safely;
  const std::uint64_t bound = options.bound      ? options.bound
                              : traits.in_memory ? kDefaultBoundInMemory
                                                 : kDefaultBound;
  int error = EEXIST;
  // The same process records again after exec.
  for (unsigned attempt = 0; error == EEXIST && attempt < kMostNames; ++attempt) {
    PutTraceName(attempt, file.name, sizeof file.name);
    file.bound = bound;
    error = CreateTraceFile(file);
  }
  return error;
}

// Before the first call block the file needs one of definitions, of events and of fingerprints: a
// full file gives up call blocks only when there is room to cover their rows.
bool PrepareFile(Recorder& recorder, const OpenOptions& options) noexcept {
  CallBlocks& calls = recorder.calls;
  calls.spare = kNoBlock;
  calls.last_entered = options.last_entered ? options.last_entered : ROLLCALL_LAST_ENTERED;
  const std::uint64_t eighth = recorder.file.bound / kRollcallBlockBytes / 8;
  calls.ahead = eighth < 1            ? 1
                : eighth > kMostAhead ? kMostAhead
                                      : static_cast<std::uint32_t>(eighth);
  const SlowSection section(recorder.mutex);
  return PrepareSegments(recorder) && AddFingerprintBlock(recorder) && PrepareCallBlock(recorder) &&
         calls.age_count > 0;
}

int Open(ProcessPage& page, const OpenOptions& options) noexcept {
  void* const memory = mmap(nullptr, sizeof(Recorder), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    Say("no memory for the recorder", "", errno);
    return ENOMEM;
  }
  Recorder& recorder = *static_cast<Recorder*>(memory);
  int error = CreateFile(recorder.file, options);
  if (error == 0 && !PrepareFile(recorder, options)) {
    error = static_cast<int>(State(recorder.file).error);
    if (error == 0) error = ENOSPC;
    DiscardTraceFile(recorder.file);
  }
  if (error) {
    Say("cannot write a trace in", recorder.file.folder, error);
    return error;
  }
  recorder.generation = static_cast<std::uint32_t>(getpid()) & 0xffff;
  RegisterBarrier(recorder.moved);
  page.recorder.store(&recorder, std::memory_order_release);
  DefineEnvironment();
  if (options.helper) StartHelper(recorder);
  LifeStarted();
  return 0;
}

}  // namespace

int OpenRecorder(const OpenOptions& options) noexcept {
  const ErrnoGuard errno_guard;
  const CancellationGuard cancellation_guard;
  ProcessPage* const page = MakeProcessPage();
  if (!page) return ENOMEM;
  std::uint32_t phase = kProcessFresh;
  if (!page->phase.compare_exchange_strong(phase, kProcessOpening, std::memory_order_acq_rel)) {
    // Another thread is at it: this call must be recorded too.
    while (page->phase.load(std::memory_order_acquire) == kProcessOpening)
      sched_yield();
    return page->recorder.load(std::memory_order_acquire) ? 0 : ECANCELED;
  }
  const int error = Open(*page, options);
  page->phase.store(error ? kProcessOff : kProcessOpened, std::memory_order_release);
  return error;
}

bool EnsureRecording() noexcept {
  ProcessPage* const page = process_page.load(std::memory_order_acquire);
  if (page) {
    const std::uint32_t phase = page->phase.load(std::memory_order_acquire);
    if (phase == kProcessOpened) return true;
    if (phase == kProcessOff) return false;
  }
  const ErrnoGuard errno_guard;
  if (RecordingIsDisabled()) return false;
  ReadSettings();
  OpenOptions options;
  options.folder = FolderSetting();
  options.bound = BoundSetting();
  return OpenRecorder(options) == 0;
}

bool IsRecording() noexcept {
  return CurrentRecorder() != nullptr;
}

void StopRecording(const char* why, int error) noexcept {
  const ErrnoGuard errno_guard;
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  EventArguments event;
  event.kind = ROLLCALL_EVENT_RECORDING;
  event.value = error;
  event.data = why;
  event.data_bytes = strlen(why);
  WriteEvent(event);
  ProcessPage* const page = process_page.load(std::memory_order_acquire);
  page->phase.store(kProcessOff, std::memory_order_release);
  if (!page->recorder.exchange(nullptr, std::memory_order_acq_rel)) return;
  RollcallState& state = State(recorder->file);
  __atomic_store_n(&state.phase, std::uint32_t{kRollcallPhaseStopped}, __ATOMIC_RELEASE);
  Publish(recorder->file, kRollcallStateAt + offsetof(RollcallState, phase), sizeof state.phase);
  Say(why, "", error);
}

}  // namespace rollcall::interpose
