// libFuzzer target: any bytes as a trace file, down to the Job. What it must not do is crash, hang,
// or read beyond.
//   clang++ build with -DROLLCALL_FUZZ=ON; trace_file_fuzz CORPUS
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/model/build_job.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int descriptor = memfd_create("trace", MFD_CLOEXEC);
  if (descriptor < 0) return 0;
  if (write(descriptor, data, size) == static_cast<ssize_t>(size)) {
    static_cast<void>(
        rollcall::analyzer::BuildJob({"/proc/self/fd/" + std::to_string(descriptor)}));
  }
  close(descriptor);
  return 0;
}
