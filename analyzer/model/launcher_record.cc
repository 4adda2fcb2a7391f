#include "analyzer/model/launcher_record.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/trace/file_reader.h"

namespace rollcall::analyzer {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

const Value& Field(const Struct& object, const char* name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? Value::default_instance() : found->second;
}

std::int64_t Number(const Struct& object, const char* name, std::int64_t absent) {
  const Value& value = Field(object, name);
  const double number = value.number_value();
  const bool sane = value.kind_case() == Value::kNumberValue && number > -1e15 && number < 1e15;
  return sane ? static_cast<std::int64_t>(number) : absent;
}

}  // namespace

absl::StatusOr<LauncherRecord> ReadLauncherRecord(const std::string& path) {
  absl::StatusOr<FileReader> file = FileReader::Open(path);
  const absl::Status status = file.ok() ? file->TakeSize() : file.status();
  if (!status.ok())
    return absl::Status(status.code(), absl::StrCat(path, ": ", std::string(status.message())));
  constexpr std::int64_t kTooLarge = 64 << 20;
  if (file->size() > kTooLarge)
    return absl::InvalidArgumentError(absl::StrCat(path, ": too large for a record of a launcher"));
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->Read(0, text.data(), text.size()));
  Struct object;
  if (!google::protobuf::util::JsonStringToMessage(text, &object).ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not a record of a launcher: it is no JSON object"));
  }
  if (Field(object, "host").kind_case() != Value::kStringValue ||
      Field(object, "processes").kind_case() != Value::kListValue) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not a record of a launcher: it names no host and no processes"));
  }
  LauncherRecord record;
  record.host = Field(object, "host").string_value();
  for (const Value& value : Field(object, "processes").list_value().values()) {
    const Struct& process = value.struct_value();
    record.processes.push_back({static_cast<int>(Number(process, "pid", 0)),
                                Number(process, "start_ticks", 0),
                                static_cast<int>(Number(process, "exit_status", -1)),
                                static_cast<int>(Number(process, "signal", 0))});
  }
  for (const Value& value : Field(object, "not_interposed").list_value().values()) {
    const Struct& process = value.struct_value();
    record.not_interposed.push_back(absl::StrCat(
        Field(process, "program").string_value(), " (pid ", Number(process, "pid", 0), " on ",
        record.host, ") was not interposed: ", Field(process, "reason").string_value()));
  }
  return record;
}

void ApplyLauncherRecord(const LauncherRecord& record, Process& process) {
  if (record.host != process.host) return;
  for (const LauncherProcess& seen : record.processes) {
    if (seen.pid != process.pid || seen.start_ticks != process.start_ticks) continue;
    End& end = process.end;
    if (end.kind != EndKind::kUnknown && end.kind != EndKind::kKilled) continue;
    if (seen.signal != 0) {
      end.kind = EndKind::kKilled;
      end.signal = seen.signal;
    } else if (seen.exit_status >= 0) {
      end.kind = EndKind::kExit;
      end.status = seen.exit_status;
    }
  }
}

}  // namespace rollcall::analyzer
