// Jobs that never come together.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("a rendezvous that waits for a rank that was never started names it",
          "[init_incomplete]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0-3: rendezvous size=5 @train.py:12 in main
  )");
  for (analyzer::Process& process : job.processes)
    process.world_size = 5;
  const Report report = analyzer::Diagnose(job);
  const Finding finding = First(report);
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{4});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 2, 3});
  CHECK(LineOf(finding, 0) == "train.py:12");
  CHECK(Says(report.verdict(), "rank 4 never joined the rendezvous at train.py:12"));
  REQUIRE(report.limits_size() > 0);
  CHECK(Says(report.limits(0), "rank 4 not visible here"));
}

TEST_CASE("a process that is killed while the others rendezvous is the cause", "[killed]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: rendezvous size=4 @train.py:12 in main !entered
    1: vanish
  )");
  CHECK(finding.kind() == "killed");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("two processes with one rank are named before anything else", "[duplicate_rank]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0-3: rendezvous size=4 @train.py:12 !entered
  )");
  job.processes[3].rank = 2;
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "duplicate_rank");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("processes that ask for worlds of different size are named by minority", "[world_size]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0,1,3: rendezvous size=4 @train.py:12 !entered
    2: rendezvous size=5 @train.py:12 !entered
  )");
  job.processes[2].world_size = 5;
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "world_size");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("processes that are each alone in a world are told so", "[world_size]") {
  analyzer::Job job = JobFromText("world 3\n0-2: allreduce 8 f32 sum @t.py:1 !completed\n");
  for (int rank = 0; rank < 3; ++rank) {
    analyzer::Process& process = job.processes[static_cast<std::size_t>(rank)];
    process.rank = 0;
    process.world_size = 1;
    process.settings.emplace_back("env.RANK", std::to_string(rank));
  }
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "world_size");
  CHECK(RanksOf(finding) == Numbers{0, 1, 2});
}

constexpr char kTaken[] =
    "RuntimeError: The server socket has failed to listen on any local network address. The server "
    "socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).";

const Suspect& SuspectOf(const Report& report, const std::string& id) {
  for (const Suspect& suspect : report.suspects()) {
    if (suspect.id() == id) return suspect;
  }
  throw std::runtime_error("no suspect " + id);
}

TEST_CASE("who cannot serve the rendezvous because its port is taken is named, with the port",
          "[init_incomplete]") {
  const std::string others = GENERATE(
      // They wait, are turned away, or get in where nobody of the job is.
      "1-3: rendezvous size=4 @train.py:9 in main !entered",
      "1-3: rendezvous size=4 @train.py:9 in main !failed ; raise \"RuntimeError: Connection reset "
      "by peer\" @train.py:9 in main",
      "1-3: rendezvous size=4 @train.py:9 in main !completed\n1-3: init world size=4 @train.py:9 "
      "in main !entered");
  const Report report = Judged("world 4\nenv * MASTER_PORT=29500\n" + others +
                               "\n0: rendezvous size=4 @train.py:9 in main !failed ; raise \"" +
                               kTaken + "\" @train.py:9 in main\n");
  const Finding finding = First(report);
  CAPTURE(others);
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(VictimsOf(finding) == Numbers{1, 2, 3});
  CHECK(Says(finding.message(), "port 29500 is already taken by another process"));
  CHECK(Says(finding.advice(), "ss -ltnp sport = :29500"));
  CHECK(SuspectOf(report, "port_or_address").state() == "confirmed");
  CHECK(SuspectOf(report, "early_exit").state() == "confirmed");
}

TEST_CASE("the server that fails at once without a word could not serve", "[init_incomplete]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    1-3: rendezvous size=4 @train.py:9 in main !entered
    0: rendezvous size=4 @train.py:9 in main !failed ; exit 1
  )");
  const auto judge = [&](std::int64_t timeout_ms) {
    analyzer::Process& server = job.processes[0];
    server.settings.emplace_back("rendezvous.role", "server");
    for (analyzer::Shape& shape : server.shapes)
      shape.timeout_ms = timeout_ms;
    return analyzer::Diagnose(job);
  };
  SECTION("before its timeout") {
    const Report report = judge(1'800'000);
    const Finding finding = First(report);
    CHECK(finding.kind() == "init_incomplete");
    CHECK(RanksOf(finding) == Numbers{0});
    CHECK(Says(finding.message(), "could not open the rendezvous"));
    CHECK(SuspectOf(report, "port_or_address").state() == "confirmed");
  }
  SECTION("but one whose timeout is over has waited for the others") {
    CHECK(RanksOf(First(judge(5000))) != Numbers{0});
  }
}

TEST_CASE("a rank that the world does not have is named", "[init_incomplete]") {
  analyzer::Job job = JobFromText("world 4\n0-3: rendezvous size=4 @train.py:9 in main !entered\n");
  job.processes[3].rank = 4;
  const Report report = analyzer::Diagnose(job);
  const Finding finding = First(report);
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{4});
  CHECK(Says(finding.message(), "rank 4 does not exist in a world of 4"));
  CHECK(SuspectOf(report, "rank_environment").state() == "confirmed");
}

TEST_CASE("the server waits for who is still on the way to it, and is not named",
          "[init_incomplete]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    env 1 MASTER_ADDR=node-q
    0,1: rendezvous size=4 @train.py:9 in main !entered
    2,3: rendezvous size=4 @train.py:9 in main !completed
  )");
  job.processes[0].settings.emplace_back("rendezvous.role", "server");
  const Report report = analyzer::Diagnose(job);
  const Finding finding = First(report);
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(SuspectOf(report, "port_or_address").state() == "confirmed");
}

TEST_CASE("a construction that failed and was done without is nobody's end", "[init_incomplete]") {
  const Report report = Judged(R"(
    world 2
    backend nccl
    0-1: allreduce 8 f32 sum @t.py:1
    0-1: init fast size=2 @t.py:3 fails 5
    0-1: allreduce 8 f32 sum @t.py:5
  )");
  CHECK(report.findings().empty());
}

TEST_CASE("who never comes to the construction of a group of others is named",
          "[init_incomplete]") {
  const Finding finding = FirstOf(R"job(
    world 4
    0-3: allreduce 8 f32 sum @absent.py:40 in main
    0,1: init sub size=2 @absent.py:46 in main>subset !completed
    0,1: raise "RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:2 (world_size=4, worker_count=2, timeout=0:00:05)" @absent.py:46 in main>subset
    2,3: exit 0
  )job");
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{2, 3});
  CHECK(VictimsOf(finding) == Numbers{0, 1});
  CHECK(LineOf(finding, 0) == "absent.py:46");
}

}  // namespace
}  // namespace rollcall::tests
