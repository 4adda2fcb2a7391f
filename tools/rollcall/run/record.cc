#include "tools/rollcall/run/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rollcall::tools {
namespace {

// Bytes that are no ASCII are taken for Latin-1: a command line need not be UTF-8, JSON must be.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      absl::StrAppendFormat(&quoted, "\\u%04x", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Json(const RunRecord& record) {
  const auto word = [](std::string* out, const std::string& text) { out->append(Quoted(text)); };
  const auto process = [](std::string* out, const ProcessRecord& p) {
    absl::StrAppend(out, "\n  {\"pid\": ", p.pid, ", \"start_ticks\": ", p.start_ticks,
                    ", \"exit_status\": ", p.exit_status, ", \"signal\": ", p.signal, "}");
  };
  const auto missed = [](std::string* out, const NotInterposed& p) {
    absl::StrAppend(out, "\n  {\"pid\": ", p.pid, ", \"start_ticks\": ", p.start_ticks,
                    ", \"program\": ", Quoted(p.program), ", \"reason\": ", Quoted(p.reason), "}");
  };
  return absl::StrCat(
      "{\"format\": 1, \"host\": ", Quoted(record.host), ", \"pid\": ", record.pid,
      ",\n \"command\": [", absl::StrJoin(record.command, ", ", word),
      "],\n \"started_ns\": ", record.started_ns, ", \"ended_ns\": ", record.ended_ns,
      ", \"exit_status\": ", record.exit_status, ", \"signal\": ", record.signal,
      ",\n \"processes\": [", absl::StrJoin(record.processes, ",", process),
      "],\n \"not_interposed\": [", absl::StrJoin(record.not_interposed, ",", missed), "]}\n");
}

}  // namespace

absl::Status ReplaceFile(const std::string& path, const std::string& contents) {
  const std::string beside = absl::StrCat(path, ".", getpid(), ".new");
  const int file =
      open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  std::size_t written = 0;
  while (written < contents.size()) {
    const ssize_t step = write(file, contents.data() + written, contents.size() - written);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) break;
    written += static_cast<std::size_t>(step);
  }
  const int error = errno;
  close(file);
  if (written == contents.size() && rename(beside.c_str(), path.c_str()) == 0)
    return absl::OkStatus();
  unlink(beside.c_str());
  return absl::ErrnoToStatus(written == contents.size() ? errno : error,
                             absl::StrCat("cannot write ", path));
}

absl::Status WriteRunRecord(const std::string& folder, const RunRecord& record) {
  std::string host = record.host;
  std::replace(host.begin(), host.end(), '/', '_');
  return ReplaceFile(absl::StrCat(folder, "/run.", host, ".", record.pid, ".json"), Json(record));
}

}  // namespace rollcall::tools
