// Positions: by rows, by what Progress covers, by the tags that Gloo took.
#include "analyzer/model/build_job.h"
#include "analyzer/model/decode_calls.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

TEST_CASE("positions go on where reused blocks left off") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticRank one(rank, 2);
    for (int i = 0; i < 10'000; ++i)
      one.Completed(one.Allreduce(64, 41));
    one.Alive();
    one.Write(folder, rank == 0 ? 0 : 3);
  }
  const Job job = *BuildJob({folder.path()});
  const Participant& bounded = job.communicators.at(0).members.at(1);
  CHECK(bounded.first_position == 7 * 1020);
  CHECK(job.processes[1].first_row == 7 * 1020);
  CHECK(job.processes[1].calls.at(bounded.calls.back()).position == 9'999);
  CHECK(bounded.agreed_position == 10'000);
}

TEST_CASE("a divergence is found behind rows that are gone") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 3; ++rank) {
    SyntheticRank one(rank, 3);
    for (int i = 0; i < 10'000; ++i) {
      one.Completed(one.Allreduce(rank == 1 && i == 9'500 ? 65 : 64, 41));
    }
    one.Alive();
    one.Write(folder, 2);
  }
  const Job job = *BuildJob({folder.path()});
  CHECK(job.communicators.at(0).members.at(0).agreed_position == 9'500);
}

TEST_CASE("a divergence among rows that are gone is seen by checkpoints") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticRank one(rank, 2);
    for (int i = 0; i < 10'000; ++i) {
      one.Completed(one.Allreduce(rank == 1 && i == 3'000 ? 65 : 64, 41));
    }
    one.Alive();
    one.Write(folder, 2);
  }
  const Job job = *BuildJob({folder.path()});
  CHECK(job.communicators.at(0).members.at(0).agreed_position == 2048);
}

TEST_CASE("two threads that claimed rows in another order than tags are put in the order of tags") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 1);
  one.Completed(one.Allreduce(10, 41));
  const std::int64_t second = one.Completed(one.Allreduce(30, 43));
  const std::int64_t first = one.Completed(one.Allreduce(20, 42));
  one.Completed(one.Allreduce(40, 44));
  one.writer().AddCell(second, CELL_POSITION, 2, 1);
  one.writer().AddCell(first, CELL_POSITION, 1, 1);
  one.writer().AddCell(3, CELL_POSITION, 3, 1);
  one.Alive();
  one.Write(folder);
  const Job job = *BuildJob({folder.path()});
  const Participant& member = job.communicators.at(0).members.at(0);
  REQUIRE(member.calls.size() == 4);
  for (int i = 0; i < 4; ++i) {
    const Call& call = job.processes[0].calls[member.calls[i]];
    CHECK(call.position == i);
    CHECK(call.count == static_cast<std::uint64_t>(10 * (i + 1)));
  }
}

TEST_CASE(
    "a row that was open when its block was reused is the last before the rows that are left") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 2);
  const CallShape shape = one.Allreduce(7, 99);
  const std::uint32_t id = one.writer().AddShape(shape);
  rollcall::Communicator other;
  other.set_id(2);
  other.set_size(2);
  other.set_digest(5);
  other.set_name("tp");
  Definition definition;
  *definition.mutable_communicator() = other;
  one.writer().AddDefinition(definition);
  CallShape on_other = one.Allreduce(64, 41);
  on_other.set_communicator(2);
  one.Pending(shape);
  for (int i = 0; i < 5'000; ++i)
    one.Completed(on_other);
  Event event;
  event.set_kind(EVENT_MOVED_ROW);
  event.set_row(1);
  const std::uint64_t words[] = {id, 1'000'100'000, 0};
  event.set_data(std::string(reinterpret_cast<const char*>(words), sizeof words));
  one.writer().AddEvent(event);
  one.writer().AddEvent(event);  // the recorder repeats it
  one.Alive();
  one.Write(folder, 2);
  const Job job = *BuildJob({folder.path()});
  const Process& process = job.processes.at(0);
  const Participant& member = job.communicators.at(0).members.at(0);
  REQUIRE(member.calls.size() == 1);
  const Call& call = process.calls.at(member.calls[0]);
  CHECK(call.position == 0);
  CHECK(call.state == CallState::kPending);
  CHECK(call.count == 7);
  CHECK(process.calls.front().row == 0);
  const Participant& on_tp = job.communicators.at(1).members.at(0);
  CHECK(process.calls.at(on_tp.calls.front()).position == on_tp.first_position);
  CHECK(process.calls.at(on_tp.calls.back()).position == 4'999);
}

TEST_CASE("the newest rows alone have the positions that all rows have") {
  const TemporaryFolder folder;
  SyntheticRank one(0, 1);
  Definition definition;
  definition.mutable_communicator()->set_id(2);
  definition.mutable_communicator()->set_size(1);
  definition.mutable_communicator()->set_digest(5);
  one.writer().AddDefinition(definition);
  CallShape rare = one.Allreduce(64, 41);
  rare.set_communicator(2);
  for (int i = 0; i < 12'000; ++i)
    one.Completed(i % 5000 == 0 ? rare : one.Allreduce(64, 41));
  one.Alive();
  const std::string path = one.Write(folder);
  const auto decode = [&](std::int64_t wanted, LoadedProcess& loaded) {
    loaded.trace = ReadTraceFile(path);
    TakeDefinitions(loaded.trace.definitions, loaded);
    return DecodeCalls(loaded, wanted);
  };
  LoadedProcess whole, tail;
  const Decoded all = decode(kAllRows, whole);
  const Decoded some = decode(2'000, tail);
  REQUIRE(whole.process.calls.size() == 12'000);
  REQUIRE(tail.process.calls.size() >= 2'000);
  REQUIRE(tail.process.calls.size() < 6'000);
  for (const Call& call : tail.process.calls) {
    CHECK(call.position == whole.process.calls.at(call.row).position);
  }
  CHECK(some.sequences.at(0).first_position ==
        11'997 - static_cast<std::int64_t>(some.sequences[0].calls.size()));
  CHECK(some.sequences.at(1).first_position +
            static_cast<std::int64_t>(some.sequences[1].calls.size()) ==
        3);
  CHECK(all.sequences.at(1).calls.size() == 3);
}

}  // namespace
}  // namespace rollcall::analyzer
