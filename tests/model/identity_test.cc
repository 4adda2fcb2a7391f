// Who took part: participants are (process, communicator handle), with a rank of the job each.
#include <algorithm>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/build_job.h"
#include "analyzer/model/global_rank.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

// One process that holds ranks 0..size-1 of an NCCL communicator, one thread each, as after
// ncclCommInitAll; and a communicator over ranks 1 and 2, split from it.
class ProcessOfRanks {
 public:
  explicit ProcessOfRanks(int size) : writer_(SyntheticRank::MakeHeader(0)) {
    for (int rank = 0; rank < size; ++rank)
      AddCommunicator(rank, rank, size, 77, rank, 0);
    AddCommunicator(size, 0, 2, 88, 0, 1 + 1);
    AddCommunicator(size + 1, 1, 2, 88, 1, 2 + 1);
  }
  // handle: ranks of the first communicator, then the two of the second.
  void Call(int handle, std::uint64_t count, bool completes = true) {
    CallShape shape;
    shape.set_operation(OPERATION_ALLREDUCE);
    shape.set_datatype(DATATYPE_F32);
    shape.set_redop(REDUCE_OPERATION_SUM);
    shape.set_element_bytes(4);
    shape.set_count(count);
    shape.set_communicator(static_cast<std::uint32_t>(handle + 1));
    now_ += 100'000;
    writer_.AddRow(
        {writer_.AddShape(shape), now_, now_, completes ? now_ + 5000 : 0, false, false});
  }
  std::string Finish() {
    const std::uint32_t tid = 99;
    std::memcpy(writer_.state().mutex, &tid, sizeof tid);
    writer_.state().heartbeat_ns = static_cast<std::uint64_t>(now_ + 100'000'000'000);
    return writer_.Finish();
  }

 private:
  void AddCommunicator(int handle, int rank, int size, std::uint64_t digest, int occurrence,
                       int parent) {
    Definition definition;
    rollcall::Communicator* communicator = definition.mutable_communicator();
    communicator->set_id(static_cast<std::uint32_t>(handle + 1));
    communicator->set_rank(static_cast<std::uint32_t>(rank));
    communicator->set_size(static_cast<std::uint32_t>(size));
    communicator->set_digest(digest);
    communicator->set_occurrence(static_cast<std::uint32_t>(occurrence));
    communicator->set_library(LIBRARY_NCCL);
    communicator->set_parent(static_cast<std::uint32_t>(parent));
    writer_.AddDefinition(definition);
  }
  TraceWriter writer_;
  std::int64_t now_ = 1'000'000'000;
};

std::string WithEnvironment(int rank, int size,
                            const std::vector<std::pair<std::string, std::string>>& variables,
                            int pid = 0) {
  SyntheticRank one(rank, size, pid);
  for (const auto& [name, value] : variables)
    one.writer().AddSetting("env." + name, value);
  one.Pending(one.Allreduce(1, 2));
  one.Alive();
  return one.writer().Finish();
}

const Suspect& SuspectOf(const Report& report, const std::string& id) {
  const auto found = std::find_if(report.suspects().begin(), report.suspects().end(),
                                  [&](const Suspect& suspect) { return suspect.id() == id; });
  if (found == report.suspects().end()) throw std::runtime_error("no suspect " + id);
  return *found;
}

TEST_CASE("a process that holds several ranks is several participants") {
  const TemporaryFolder folder;
  ProcessOfRanks process(3);
  for (int rank = 0; rank < 3; ++rank)
    process.Call(rank, 8);
  process.Call(3, 4);
  process.Call(4, 4);
  folder.Write("a.rollcall", process.Finish());
  const Job job = *BuildJob({folder.path()});
  REQUIRE(job.communicators.size() == 2);
  const Communicator& all = job.communicators[0];
  REQUIRE(all.members.size() == 3);
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(all.members[rank].global_rank == rank);
    CHECK(all.members[rank].calls.size() == 1);
  }
  const Communicator& part = job.communicators[1];
  REQUIRE(part.members.size() == 2);
  CHECK(part.members[0].global_rank == 1);
  CHECK(part.members[1].global_rank == 2);
  const Report report = Diagnose(job);
  CHECK(report.findings().empty());
  CHECK(report.limits().empty());
}

TEST_CASE("one of several ranks of a process that does not come is named") {
  const TemporaryFolder folder;
  ProcessOfRanks process(3);
  for (int rank = 0; rank < 3; ++rank)
    process.Call(rank, 8);
  process.Call(0, 16, false);
  process.Call(2, 16, false);
  folder.Write("a.rollcall", process.Finish());
  const Report report = Diagnose(*BuildJob({folder.path()}));
  REQUIRE(report.findings_size() > 0);
  REQUIRE(report.findings(0).ranks_size() == 1);
  CHECK(report.findings(0).ranks(0) == 1);
}

TEST_CASE("the rank is that of the default group, else of the environment") {
  const TemporaryFolder folder;
  folder.Write("group.rollcall", WithEnvironment(1, 2, {{"RANK", "0"}}));
  CHECK(BuildJob({folder.path()})->processes.at(0).rank == 1);

  const TemporaryFolder other;
  TraceWriter writer(SyntheticRank::MakeHeader(0));
  writer.AddSetting("env.SLURM_PROCID", "5");
  writer.AddSetting("env.SLURM_NTASKS", "8");
  CallShape rendezvous;
  rendezvous.set_operation(OPERATION_RENDEZVOUS);
  rendezvous.set_count(8);
  writer.AddRow({writer.AddShape(rendezvous), 2'000'000'000, 0, 0, false, false});
  other.Write("slurm.rollcall", writer.Finish());
  const Process process = BuildJob({other.path()})->processes.at(0);
  CHECK(process.rank == 5);
  CHECK(process.world_size == 8);
  CHECK(process.rank_source == "SLURM_PROCID");
}

TEST_CASE("LOCAL_RANK taken for RANK is a confirmed suspect, with the process that did") {
  // Two machines of two ranks; the ranks of the second one call themselves 0 and 1.
  const TemporaryFolder folder;
  for (int process = 0; process < 4; ++process) {
    const std::string local = std::to_string(process % 2);
    folder.Write(
        std::to_string(process) + ".rollcall",
        WithEnvironment(process % 2, 4, {{"RANK", std::to_string(process)}, {"LOCAL_RANK", local}},
                        2000 + process));
  }
  const Report report = Diagnose(*BuildJob({folder.path()}));
  REQUIRE(report.findings_size() > 0);
  CHECK(report.findings(0).kind() == "duplicate_rank");
  const Suspect& suspect = SuspectOf(report, "local_rank_as_rank");
  CHECK(suspect.state() == "confirmed");
  CHECK(suspect.evidence().find("took LOCAL_RANK for its rank") != std::string::npos);
}

TEST_CASE("a rank other than that of the environment is a confirmed suspect") {
  const TemporaryFolder folder;
  folder.Write("0.rollcall", WithEnvironment(0, 3, {{"RANK", "0"}}));
  folder.Write("1.rollcall", WithEnvironment(1, 3, {{"RANK", "2"}}));
  const Report report = Diagnose(*BuildJob({folder.path()}));
  const Suspect& suspect = SuspectOf(report, "rank_environment");
  CHECK(suspect.state() == "confirmed");
  CHECK(suspect.evidence().find("is rank 1 of its process group, but RANK=2") != std::string::npos);
  CHECK(SuspectOf(report, "local_rank_as_rank").state() != "confirmed");
}

TEST_CASE("one rank with lifetimes one after the other was restarted, overlapping is twice there") {
  const auto write = [](const TemporaryFolder& folder, int rank, int pid, std::int64_t started,
                        std::int64_t ended) {
    SyntheticRank one(rank, 2, pid, started);
    one.Completed(one.Allreduce(1, 2));
    one.Exit(0);
    one.writer().state().end_ns = static_cast<std::uint64_t>(ended);
    folder.Write(std::to_string(pid) + ".rollcall", one.writer().Finish());
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  SECTION("one after the other") {
    const TemporaryFolder folder;
    for (int rank = 0; rank < 2; ++rank) {
      write(folder, rank, 10 + rank, 1 * kSecond, 5 * kSecond);
      write(folder, rank, 20 + rank, 9 * kSecond, 15 * kSecond);
    }
    const Job job = *BuildJob({folder.path()});
    REQUIRE(job.incarnations.size() == 2);
    CHECK(job.processes.at(job.incarnations[1].processes.at(0)).pid == 20);
    const Report report = Diagnose(job);
    CHECK(report.findings().empty());
    REQUIRE(report.limits_size() == 1);
    CHECK(report.limits(0).find("the last of 2 starts") == 0);
  }
  SECTION("at the same time") {
    const TemporaryFolder folder;
    write(folder, 0, 10, 1 * kSecond, 9 * kSecond);
    write(folder, 0, 11, 2 * kSecond, 9 * kSecond);
    write(folder, 1, 12, 1 * kSecond, 9 * kSecond);
    const Job job = *BuildJob({folder.path()});
    CHECK(job.incarnations.size() == 1);
    const Report report = Diagnose(job);
    REQUIRE(report.findings_size() > 0);
    CHECK(report.findings(0).kind() == "duplicate_rank");
  }
}

TEST_CASE("three runs in one folder: the last is judged, with a rank of it missing too") {
  const TemporaryFolder folder;
  for (int run = 0; run < 3; ++run) {
    for (int rank = 0; rank < 3; ++rank) {
      if (run == 2 && rank == 1) continue;  // not visible
      SyntheticRank one(rank, 3, 100 * (run + 1) + rank, (1 + 100 * run) * 1'000'000'000LL);
      one.Completed(one.Allreduce(1, 2));
      if (run < 2) {
        one.Exit(1);
      } else {
        one.Pending(one.Allreduce(1, 3));
        one.Alive();
      }
      folder.Write(std::to_string(run) + std::to_string(rank) + ".rollcall", one.writer().Finish());
    }
  }
  const Job job = *BuildJob({folder.path()});
  REQUIRE(job.incarnations.size() == 3);
  CHECK(job.incarnations[2].processes.size() == 2);
  const Report report = Diagnose(job);
  REQUIRE(report.findings_size() == 1);
  CHECK(report.findings(0).kind() == "missing_rank");
  CHECK(report.findings(0).ranks().empty());
  CHECK(report.verdict().find("rank 1") != std::string::npos);
}

TEST_CASE("a rank that is started again alone makes no new start of the job") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const TemporaryFolder folder;
  const auto write = [&](SyntheticRank& one, int pid) {
    folder.Write(std::to_string(pid) + ".rollcall", one.writer().Finish());
  };
  for (int rank = 0; rank < 3; ++rank) {
    SyntheticRank one(rank, 4, 10 + rank, 1 * kSecond);
    one.Completed(one.Allreduce(8, 2));
    one.Pending(one.Allreduce(8, 3));
    one.Alive();
    write(one, 10 + rank);
  }
  SECTION("who left the group is judged, and its next process is told") {
    SyntheticRank first(3, 4, 13, 1 * kSecond);
    first.Completed(first.Allreduce(8, 2));
    first.Exit(1);
    write(first, 13);
    SyntheticRank second(3, 4, 23, 5 * kSecond);
    second.Alive();
    write(second, 23);
    const Report report = Diagnose(*BuildJob({folder.path()}));
    REQUIRE(report.findings_size() > 0);
    CHECK(report.findings(0).kind() == "early_exit");
    REQUIRE(report.findings(0).ranks_size() == 1);
    CHECK(report.findings(0).ranks(0) == 3);
    REQUIRE(report.limits_size() == 1);
    CHECK(report.limits(0).find("process 23 on node is not judged") != std::string::npos);
  }
  SECTION("who never was in the group is replaced by who is") {
    TraceWriter writer(SyntheticRank::MakeHeader(3, 13, 1 * kSecond));
    writer.AddSetting("env.RANK", "3");
    writer.AddSetting("env.WORLD_SIZE", "4");
    CallShape rendezvous;
    rendezvous.set_operation(OPERATION_RENDEZVOUS);
    rendezvous.set_count(4);
    writer.AddRow({writer.AddShape(rendezvous), 1 * kSecond, 1 * kSecond, 0, false, false});
    const std::uint32_t died = ROLLCALL_OWNER_DIED | 99;
    std::memcpy(writer.state().mutex, &died, sizeof died);
    writer.state().end_kind = kRollcallEndExit;
    writer.state().end_ns = static_cast<std::uint64_t>(2 * kSecond);
    folder.Write("13.rollcall", writer.Finish());
    SyntheticRank second(3, 4, 23, 5 * kSecond);
    second.Completed(second.Allreduce(8, 2));
    second.Alive();
    write(second, 23);
    const Job job = *BuildJob({folder.path()});
    const Incarnation& last = job.incarnations.back();
    REQUIRE(last.processes.size() == 4);
    CHECK(job.processes.at(last.processes.at(3)).pid == 23);
    const Report report = Diagnose(job);
    REQUIRE(report.findings_size() > 0);
    CHECK(report.findings(0).kind() == "missing_rank");
    CHECK(report.findings(0).ranks(0) == 3);
  }
}

}  // namespace
}  // namespace rollcall::analyzer
