#include "analyzer/report/report_json.h"

#include "absl/strings/str_cat.h"
#include "analyzer/report/json_writer.h"

namespace rollcall::analyzer {
namespace {

template <typename Numbers>
void WriteInts(const char* key, const Numbers& numbers, JsonWriter* json) {
  json->Key(key);
  json->BeginArray();
  for (const auto number : numbers)
    json->Int(number);
  json->EndArray();
}

template <typename Texts>
void WriteStrings(const char* key, const Texts& texts, JsonWriter* json) {
  json->Key(key);
  json->BeginArray();
  for (const std::string& text : texts)
    json->String(text);
  json->EndArray();
}

void WriteString(const char* key, const std::string& value, JsonWriter* json) {
  json->Key(key);
  json->String(value);
}

void WriteInt(const char* key, std::int64_t value, JsonWriter* json) {
  json->Key(key);
  json->Int(value);
}

void WriteCall(const CallSide& call, JsonWriter* json) {
  json->BeginObject();
  WriteInt("rank", call.rank(), json);
  WriteString("operation", call.operation(), json);
  json->Key("count");
  json->Uint(call.count());
  WriteString("datatype", call.datatype(), json);
  WriteString("redop", call.redop(), json);
  WriteInt("root", call.root(), json);
  WriteString("state", call.state(), json);
  json->Key("seconds_in_call");
  json->Double(call.seconds_in_call());
  json->EndObject();
}

void WriteSite(const SiteSide& site, JsonWriter* json) {
  json->BeginObject();
  WriteInt("rank", site.rank(), json);
  WriteString("file", site.file(), json);
  WriteInt("line", site.line(), json);
  WriteString("function", site.function(), json);
  WriteString("api", site.api(), json);
  json->Key("frames");
  json->BeginArray();
  for (const FrameSide& frame : site.frames()) {
    json->BeginObject();
    WriteString("file", frame.file(), json);
    WriteInt("line", frame.line(), json);
    WriteString("function", frame.function(), json);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void WriteFinding(const Finding& finding, JsonWriter* json) {
  json->BeginObject();
  WriteString("kind", finding.kind(), json);
  WriteString("severity", finding.severity(), json);
  WriteString("argument", finding.argument(), json);
  WriteInts("ranks", finding.ranks(), json);
  WriteInts("victims", finding.victims(), json);
  json->Key("returned_early");
  json->Bool(finding.returned_early());
  WriteString("communicator", finding.communicator(), json);
  WriteInt("position", finding.position(), json);
  json->Key("calls");
  json->BeginArray();
  for (const CallSide& call : finding.calls())
    WriteCall(call, json);
  json->EndArray();
  json->Key("sites");
  json->BeginArray();
  for (const SiteSide& site : finding.sites())
    WriteSite(site, json);
  json->EndArray();
  WriteString("message", finding.message(), json);
  WriteStrings("why", finding.why(), json);
  WriteString("advice", finding.advice(), json);
  json->EndObject();
}

}  // namespace

std::string JsonReport(const Report& report) {
  JsonWriter json;
  json.BeginObject();
  WriteInt("format", report.format(), &json);
  WriteString("verdict", report.verdict(), &json);
  json.Key("findings");
  json.BeginArray();
  for (const Finding& finding : report.findings())
    WriteFinding(finding, &json);
  json.EndArray();
  json.Key("suspects");
  json.BeginArray();
  for (const Suspect& suspect : report.suspects()) {
    json.BeginObject();
    WriteString("id", suspect.id(), &json);
    WriteString("state", suspect.state(), &json);
    WriteString("evidence", suspect.evidence(), &json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("inputs");
  json.BeginArray();
  for (const Input& input : report.inputs()) {
    json.BeginObject();
    WriteString("file", input.file(), &json);
    WriteInt("rank", input.rank(), &json);
    WriteString("state", input.state(), &json);
    json.EndObject();
  }
  json.EndArray();
  WriteStrings("limits", report.limits(), &json);
  json.EndObject();
  return absl::StrCat(json.text(), "\n");
}

}  // namespace rollcall::analyzer
