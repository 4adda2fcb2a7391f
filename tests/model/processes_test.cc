// Processes: how they ended, which rank they are, to which start of the job they belong.
#include <sys/stat.h>

#include <algorithm>
#include <random>

#include "analyzer/model/build_job.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

void SetText(RollcallState& state, const std::string& text, std::uint64_t ns) {
  std::copy(text.begin(), text.end(), state.exception);
  state.exception_bytes = static_cast<std::uint32_t>(text.size());
  state.exception_ns = ns;
}

End EndOf(SyntheticRank& rank) {
  const TemporaryFolder folder;
  rank.Write(folder);
  return BuildJob({folder.path()})->processes.at(0).end;
}

TEST_CASE("a process that ended says how") {
  SyntheticRank rank(0, 1);
  rank.Completed(rank.Allreduce(1, 2));
  SECTION("exit") {
    rank.Exit(3);
    const End end = EndOf(rank);
    CHECK(end.kind == EndKind::kExit);
    CHECK(end.status == 3);
  }
  SECTION("_exit") {
    rank.Exit(0);
    rank.writer().state().end_kind = kRollcallEndQuick;
    CHECK(EndOf(rank).kind == EndKind::kQuickExit);
  }
  SECTION("uncaught exception") {
    rank.Exit(1);
    SetText(rank.writer().state(), "ValueError: boom", 2'000'000'000);
    const End end = EndOf(rank);
    CHECK(end.kind == EndKind::kException);
    CHECK(end.exception == "ValueError: boom");
  }
  SECTION("an exception that was caught after all") {
    rank.Exit(0);
    SetText(rank.writer().state(), "ValueError: boom", 2'000'000'000);
    const End end = EndOf(rank);
    CHECK(end.kind == EndKind::kExit);
    CHECK(end.exception == "ValueError: boom");
  }
  SECTION("signal") {
    rank.Exit(0);
    rank.writer().state().end_kind = kRollcallEndSignal;
    rank.writer().state().end_signal = 11;
    const End end = EndOf(rank);
    CHECK(end.kind == EndKind::kSignal);
    CHECK(end.signal == 11);
  }
  SECTION("killed without notice, at the last heartbeat") {
    rank.KilledWithoutNotice();
    const End end = EndOf(rank);
    CHECK(end.kind == EndKind::kKilled);
    CHECK(end.ns > 1'700'000'000'000'000'000);
  }
  SECTION("hangs in its exit") {
    rank.Exit(0);
    rank.Alive();
    const End end = EndOf(rank);
    CHECK(end.kind == EndKind::kAlive);
    CHECK(end.exiting);
  }
}

TEST_CASE("the launcher knows the signal that a trace cannot tell") {
  const TemporaryFolder folder;
  SyntheticRank rank(0, 1);
  rank.Completed(rank.Allreduce(1, 2));
  rank.KilledWithoutNotice();
  rank.Write(folder);
  folder.Write("run.node.9.json", R"({"format":1,"host":"node","pid":9,"command":["x"],"processes":[
      {"pid":1000,"start_ticks":5,"exit_status":-1,"signal":9}],"not_interposed":[]})");
  const End end = BuildJob({folder.path()})->processes.at(0).end;
  CHECK(end.kind == EndKind::kKilled);
  CHECK(end.signal == 9);
}

TEST_CASE("a folder that is named like a launcher's record costs nothing") {
  const TemporaryFolder folder;
  SyntheticRank rank(0, 1);
  rank.writer().AddSetting("env.ROLLCALL_HANG_SECONDS", "7.5");
  rank.Completed(rank.Allreduce(1, 2));
  rank.Write(folder);
  REQUIRE(mkdir((folder.path() + "/run.node.9.json").c_str(), 0700) == 0);
  const Job job = *BuildJob({folder.path()});
  CHECK(job.processes.size() == 1);
  CHECK(job.hang_seconds == 7);
}

TEST_CASE("a rank of the group that differs from the environment is told") {
  const TemporaryFolder folder;
  SyntheticRank rank(0, 2);
  rank.writer().AddSetting("env.RANK", "1");
  rank.Completed(rank.Allreduce(1, 2));
  rank.Alive();
  rank.Write(folder);
  const Job job = *BuildJob({folder.path()});
  CHECK(job.processes.at(0).rank == 0);
  REQUIRE(job.notes.size() == 1);
  CHECK(job.notes[0].find("RANK=1") != std::string::npos);
}

TEST_CASE("the last of several elastic restarts is judged, the others are told") {
  const TemporaryFolder folder;
  for (int restart = 0; restart < 2; ++restart) {
    for (int rank = 0; rank < 2; ++rank) {
      SyntheticRank one(rank, 2, 10 * (restart + 1) + rank);
      one.writer().AddSetting("env.TORCHELASTIC_RUN_ID", "job7");
      one.writer().AddSetting("env.TORCHELASTIC_RESTART_COUNT", std::to_string(restart));
      one.Completed(one.Allreduce(1, 2));
      one.Exit(restart == 0 ? 1 : 0);
      folder.Write("r" + std::to_string(restart) + std::to_string(rank) + ".rollcall",
                   one.writer().Finish());
    }
  }
  const Job job = *BuildJob({folder.path()});
  REQUIRE(job.incarnations.size() == 2);
  CHECK(job.incarnations[1].restart == 1);
  CHECK(job.incarnations[1].processes.size() == 2);
  CHECK(job.communicators.size() == 2);
  CHECK(job.processes.at(job.incarnations[1].processes[0]).end.status == 0);
  REQUIRE(job.notes.size() == 1);
  CHECK(job.notes[0].find("restart 0") != std::string::npos);
}

TEST_CASE("groups of one name on disjoint ranks are different communicators") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    SyntheticRank one(rank, 4);
    Definition definition;
    rollcall::Communicator* group = definition.mutable_communicator();
    group->set_id(2);
    group->set_rank(static_cast<std::uint32_t>(rank % 2));
    group->set_size(2);
    group->set_digest(99);
    group->set_name("pair");
    one.writer().AddDefinition(definition);
    one.Alive();
    one.Write(folder);
  }
  const Job job = *BuildJob({folder.path()});
  REQUIRE(job.communicators.size() == 3);
  for (int pair = 0; pair < 2; ++pair) {
    const Communicator& group = job.communicators[1 + pair];
    REQUIRE(group.members.size() == 2);
    CHECK(group.members[0].global_rank == 2 * pair);
    CHECK(group.members[1].global_rank == 2 * pair + 1);
  }
}

TEST_CASE("two processes of one rank stay in one communicator") {
  const TemporaryFolder folder;
  for (int process = 0; process < 2; ++process) {
    SyntheticRank one(0, 2, 10 + process);
    one.Alive();
    folder.Write(std::to_string(process) + ".rollcall", one.writer().Finish());
  }
  const Job job = *BuildJob({folder.path()});
  REQUIRE(job.incarnations.size() == 1);
  REQUIRE(job.communicators.size() == 1);
  CHECK(job.communicators[0].members.size() == 3);  // rank 0 twice, rank 1 absent
}

TEST_CASE("a member without a trace is known by its rank in the world") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 3);
  one.Pending(one.Allreduce(1, 2));
  one.Alive();
  one.Write(folder);
  const Job job = *BuildJob({folder.path()});
  const Communicator& world = job.communicators.at(0);
  REQUIRE(world.members.size() == 3);
  CHECK(world.members[2].process == -1);
  CHECK(world.members[2].global_rank == 2);
}

TEST_CASE("the order of the files does not matter") {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 6; ++rank) {
    SyntheticRank one(rank, 6);
    for (int i = 0; i < 10 + rank; ++i)
      one.Completed(one.Allreduce(5, 6));
    one.Alive();
    paths.push_back(one.Write(folder));
  }
  paths.push_back(folder.Write("broken.rollcall", "x"));
  const auto text = [](const Job& job) {
    std::string out = std::to_string(job.now_ns);
    for (const Process& process : job.processes) {
      out += process.path + " " + std::to_string(process.rank) + " " +
             std::to_string(process.started_ns) + "\n";
    }
    for (const InputFile& input : job.inputs)
      out += input.path + input.state + std::to_string(input.process);
    for (const Participant& member : job.communicators.at(0).members)
      out += std::to_string(member.process);
    return out;
  };
  const std::string expected = text(*BuildJob(paths));
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(paths.begin(), paths.end(), random);
    CHECK(text(*BuildJob(paths)) == expected);
  }
}

TEST_CASE("snapshots say where threads are and what is open") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 1);
  one.Completed(one.Allreduce(1, 88));
  const auto add = [&](EventKind kind, const std::string& data, std::uint32_t tid,
                       std::uint32_t stack) {
    Event event;
    event.set_kind(kind);
    event.set_value(1);
    event.set_time_ns(5'000'000'000);
    event.set_data(data);
    event.set_tid(tid);
    event.set_python_stack(stack);
    one.writer().AddEvent(event);
  };
  add(EVENT_SNAPSHOT_BEGIN, "hang", 0, 0);
  add(EVENT_SNAPSHOT_THREAD, "worker", 1001, 0);
  add(EVENT_SNAPSHOT_THREAD, "python3", 1000, 88);
  add(EVENT_SNAPSHOT_FILE, "/data/model.pt", 0, 0);
  add(EVENT_SNAPSHOT_END, "", 0, 0);
  one.Alive();
  one.Write(folder);
  const Job job = *BuildJob({folder.path()});
  const Process& process = job.processes.at(0);
  REQUIRE(process.snapshots.size() == 1);
  const Snapshot& snapshot = process.snapshots[0];
  CHECK(snapshot.reason == "hang");
  REQUIRE(snapshot.threads.size() == 2);
  CHECK(snapshot.threads[0].name == "python3");
  CHECK(process.python_stacks.at(snapshot.threads[0].python_stack).frames.at(0).line == 88);
  CHECK(snapshot.files == std::vector<std::string>{"/data/model.pt"});
}

TEST_CASE("a failed call carries its error text") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 1);
  const std::uint32_t shape = one.writer().AddShape(one.Allreduce(1, 2));
  const std::int64_t row = one.writer().AddRow({shape, 2'000'000'000, 0, 0, true, false});
  Event event;
  event.set_kind(EVENT_FAILED);
  event.set_row(static_cast<std::uint64_t>(row + 1));
  event.set_time_ns(3'000'000'000);
  event.set_data("Connection closed by peer");
  one.writer().AddEvent(event);
  one.Alive();
  one.Write(folder);
  const Job job = *BuildJob({folder.path()});
  const Process& process = job.processes.at(0);
  const Call& call = process.calls.at(0);
  CHECK(call.state == CallState::kFailed);
  CHECK(process.texts.at(call.error) == "Connection closed by peer");
  CHECK(call.completed_ns - call.entered_ns == 1'000'000'000);
}

}  // namespace
}  // namespace rollcall::analyzer
