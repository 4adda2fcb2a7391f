#include "interpose/core/header_page.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "interpose/core/clock.h"
#include "interpose/core/field_bytes.h"
#include "interpose/core/wire_writer.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {

std::size_t ReadSmallFile(const char* path, char* text, std::size_t capacity) noexcept {
  text[0] = 0;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const ssize_t read_bytes = read(descriptor, text, capacity - 1);
  close(descriptor);
  std::size_t bytes = read_bytes < 0 ? 0 : static_cast<std::size_t>(read_bytes);
  if (bytes && text[bytes - 1] == '\n') --bytes;
  text[bytes] = 0;
  return bytes;
}

std::uint64_t ProcessStartTicks() noexcept {
  char text[1024];
  ReadSmallFile("/proc/self/stat", text, sizeof text);
  // Field 2 is the name in parentheses, which may hold anything; field 3 follows the last one.
  const char* at = strrchr(text, ')');
  for (int field = 2; at && field < 22; ++field) {
    at = strchr(at, ' ');
    if (at) ++at;
  }
  return at ? strtoull(at, nullptr, 10) : 0;
}

void PutHeaderPage(std::uint8_t* page) noexcept {
  utsname node;
  if (uname(&node) != 0) node.nodename[0] = 0;
  char boot_id[64];
  const std::size_t boot_id_bytes =
      ReadSmallFile("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);

  WireWriter header(page + 4, kRollcallStateAt - 4 - 4 - 4);
  header.Number(ROLLCALL_Header_version, ROLLCALL_FORMAT_VERSION);
  header.Number(ROLLCALL_Header_block_bytes, kRollcallBlockBytes);
  header.Number(ROLLCALL_Header_rows, kRollcallRows);
  header.Fixed64(ROLLCALL_Header_monotonic_ns, MonotonicNow());
  header.Fixed64(ROLLCALL_Header_realtime_ns, ReadClock(CLOCK_REALTIME));
  header.Number(ROLLCALL_Header_pid, static_cast<std::uint64_t>(getpid()));
  header.Text(ROLLCALL_Header_host, node.nodename, strlen(node.nodename), 256);
  header.Fixed64(ROLLCALL_Header_multiplier, ROLLCALL_FINGERPRINT_MULTIPLIER);
  header.Fixed64(ROLLCALL_Header_start_ticks, ProcessStartTicks());
  header.Text(ROLLCALL_Header_boot_id, boot_id, boot_id_bytes, 64);
  header.Number(ROLLCALL_Header_cell_rows, kRollcallCellRows);

  const std::uint32_t head = Head(ROLLCALL_Trace_header, kRollcallHeaderBytes - 4);
  const std::uint32_t pad_bytes =
      kRollcallStateAt - 4 - 4 - static_cast<std::uint32_t>(header.size());
  const std::uint32_t pad = Head(kPadField, pad_bytes - 4);
  const std::uint32_t state_head = Head(ROLLCALL_Header_state, kRollcallStateBytes);
  memcpy(page, &head, sizeof head);
  memcpy(page + 4 + header.size(), &pad, sizeof pad);
  memcpy(page + kRollcallStateAt - 4, &state_head, sizeof state_head);
  RollcallState state = {};
  state.magic = ROLLCALL_STATE_MAGIC;
  state.phase = kRollcallPhaseStarting;
  state.file_kib = kRollcallHeaderBytes >> 10;
  memcpy(page + kRollcallStateAt, &state, sizeof state);
}

}  // namespace rollcall::interpose
