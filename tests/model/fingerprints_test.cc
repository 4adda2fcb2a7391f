// The report is the same whether all rows are decoded or only those that fingerprints leave open.
#include <algorithm>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/build_job.h"
#include "analyzer/report/report_json.h"
#include "analyzer/scenario/synthesize.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

// As for a job that is too large to be decoded as a whole.
constexpr RowLimits kFew = {.all_of_job = 0, .window = 64};

std::size_t Rows(const Job& job) {
  std::size_t rows = 0;
  for (const Process& process : job.processes)
    rows += process.calls.size();
  return rows;
}

struct Case {
  const char* what;
  const char* scenario;
};
constexpr Case kCases[] = {
    {"nobody parts", "world 3\n*: allreduce 8 f32 @a.py:1 x5000\n"},
    {"one does not come", "world 3\n*: allreduce 8 f32 @a.py:1 x5000\n0,2: barrier @a.py:5\n"},
    {"one ends", "world 3\n*: allreduce 8 f32 @a.py:1 x5000\n1: exit 3\n0,2: barrier @a.py:5\n"},
    {"an extra call far from the end",
     "world 3\nbackend nccl\n*: allreduce 8 f32 @a.py:1 x3000\n1: allreduce 8 f32 @a.py:7\n*: "
     "allreduce 8 f32 @a.py:2 x3000\n*: sync @a.py:9\n"},
    {"silently another reduce operation",
     "world 3\n*: allreduce 8 f32 @a.py:1 x3000\n0,2: allreduce 8 f32 sum @a.py:2\n1: allreduce 8 "
     "f32 max @a.py:2\n*: allreduce 8 f32 @a.py:1 x3000\n"},
    {"a group of a part parts",
     "world 4\ncomm tp 0,1\n*: allreduce 8 f32 @a.py:1 x3000\n0,1: "
     "allreduce 8 f32 on tp @a.py:2 x1500\n0: allgather 8 f32 on tp "
     "@a.py:3\n*: barrier @a.py:5\n"},
};

TEST_CASE("fingerprints change nothing about the verdict") {
  for (const Case& one : kCases) {
    INFO(one.what);
    const TemporaryFolder folder;
    const auto images = scenario::Synthesize(one.scenario, "scenario");
    REQUIRE(images.ok());
    REQUIRE(scenario::WriteTraces(*images, folder.path()).ok());
    const Job all = *BuildJob({folder.path()}), few = *BuildJob({folder.path()}, kFew);
    CHECK(Rows(few) < Rows(all));
    const Report report_all = Diagnose(all), report_few = Diagnose(few);
    CHECK(report_all.verdict() == report_few.verdict());
    REQUIRE(report_all.findings_size() == report_few.findings_size());
    for (int i = 0; i < report_all.findings_size(); ++i)
      CHECK(report_all.findings(i).SerializeAsString() ==
            report_few.findings(i).SerializeAsString());
  }
}

TEST_CASE("what agrees is not decoded, and what is decoded stands at its position") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticRank one(rank, 2);
    for (int i = 0; i < 9000; ++i)
      one.Completed(one.Allreduce(64, 40 + i % 7));
    one.Alive();
    one.Write(folder);
  }
  const Job job = *BuildJob({folder.path()}, kFew);
  for (const Process& process : job.processes) {
    REQUIRE(process.calls.size() == 64);
    CHECK(process.first_row == 9000 - 64);
    for (const Call& call : process.calls)
      CHECK(call.position == call.row);
  }
  for (const Participant& member : job.communicators.at(0).members) {
    CHECK(member.first_position == 9000 - 64);
    CHECK(member.agreed_position == 9000);
  }
}

TEST_CASE("an open call is never too old to be decoded") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 1);
  for (int i = 0; i < 3000; ++i)
    one.Completed(one.Allreduce(64, 40));
  const std::int64_t open = one.Pending(one.Allreduce(64, 50));
  for (int i = 0; i < 6000; ++i)
    one.Completed(one.Allreduce(64, 40));
  one.Alive();
  one.Write(folder);
  const Job job = *BuildJob({folder.path()}, kFew);
  const Process& process = job.processes.at(0);
  CHECK(process.first_row == open);
  CHECK(process.calls.front().state == CallState::kPending);
  CHECK(process.calls.back().row == 9000);
}

TEST_CASE("memory is bounded, whatever parts where") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticRank one(rank, 2);
    for (int i = 0; i < 9000; ++i)
      one.Completed(one.Allreduce(rank == 1 && i == 10 ? 1 : 64, 40));
    one.Alive();
    one.Write(folder);
  }
  CHECK(Rows(*BuildJob({folder.path()}, kFew)) > 17'000);
  RowLimits bounded = kFew;
  bounded.most_of_job = 3000;
  const Job job = *BuildJob({folder.path()}, bounded);
  CHECK(Rows(job) <= 3000);
  const bool told = std::any_of(job.notes.begin(), job.notes.end(), [](const std::string& note) {
    return note.find("only the newest calls were read") != std::string::npos;
  });
  CHECK(told);
}

}  // namespace
}  // namespace rollcall::analyzer
