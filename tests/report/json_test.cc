// The report for machines: keys, order, and numbers as numbers.
#include "analyzer/report/report_json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/report/json_writer.h"
#include "tests/catch.h"
#include "tests/diagnose/job_text.h"

namespace rollcall::tests {
namespace {

TEST_CASE("an empty report has all fields, in order", "[json]") {
  Report report;
  report.set_format(1);
  report.set_verdict("no problem found");
  CHECK(analyzer::JsonReport(report) ==
        "{\"format\":1,\"verdict\":\"no problem "
        "found\",\"findings\":[],\"suspects\":[],\"inputs\":[],\"limits\":[]}\n");
}

TEST_CASE("a finding has all fields, in order, and 64-bit numbers are numbers", "[json]") {
  Report report;
  report.set_format(1);
  Finding* finding = report.add_findings();
  finding->set_kind("early_exit");
  finding->set_severity("error");
  finding->add_ranks(2);
  finding->add_victims(0);
  finding->set_returned_early(true);
  finding->set_communicator("world");
  finding->set_position(9007199254740993);
  CallSide* call = finding->add_calls();
  call->set_operation("barrier");
  call->set_count(18446744073709551615U);
  call->set_root(-1);
  call->set_state("pending");
  call->set_seconds_in_call(31.2);
  SiteSide* site = finding->add_sites();
  site->set_file("train.py");
  site->set_line(41);
  FrameSide* frame = site->add_frames();
  frame->set_file("train.py");
  frame->set_path("/home/me/train.py");
  CHECK(
      analyzer::JsonReport(report) ==
      R"({"format":1,"verdict":"","findings":[{"kind":"early_exit","severity":"error","argument":"","ranks":[2],"victims":[0],)"
      R"("returned_early":true,"communicator":"world","position":9007199254740993,"calls":[{"rank":0,"operation":"barrier",)"
      R"("count":18446744073709551615,"datatype":"","redop":"","root":-1,"state":"pending","seconds_in_call":31.2}],)"
      R"("sites":[{"rank":0,"file":"train.py","line":41,"function":"","api":"","frames":[{"file":"train.py","line":0,"function":""}]}],)"
      R"("message":"","why":[],"advice":""}],"suspects":[],"inputs":[],"limits":[]})"
      "\n");
}

TEST_CASE("texts are escaped, and bytes that are no UTF-8 are replaced", "[json]") {
  analyzer::JsonWriter json;
  json.String("a \"b\" \\ \n \x01 \xc3\xa9 \xff.");
  CHECK(json.text() == "\"a \\\"b\\\" \\\\ \\n \\u0001 \xc3\xa9 \xef\xbf\xbd.\"");
}

TEST_CASE("seconds have one to three digits behind the point", "[json]") {
  analyzer::JsonWriter json;
  json.BeginArray();
  for (const double seconds : {0.0, 31.2, 0.0004, 12.34567})
    json.Double(seconds);
  json.EndArray();
  CHECK(json.text() == "[0.0,31.2,0.0,12.346]");
}

TEST_CASE("protobuf's JSON parser reads the report of a whole job", "[json]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    2: raise "ValueError: \\ and 'quotes'" @train.py:45
    0,1,3: barrier @train.py:57 in main
  )"));
  google::protobuf::Struct parsed;
  REQUIRE(google::protobuf::util::JsonStringToMessage(analyzer::JsonReport(report), &parsed).ok());
  CHECK(parsed.fields().size() == 6);
  CHECK(parsed.fields()
            .at("findings")
            .list_value()
            .values(0)
            .struct_value()
            .fields()
            .at("kind")
            .string_value() == "early_exit");
}

}  // namespace
}  // namespace rollcall::tests
