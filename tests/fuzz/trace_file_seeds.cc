// Writes a few whole traces into a folder: where the fuzzer starts.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

std::string Seed(int kind) {
  SyntheticRank rank(kind, 4);
  for (int i = 0; i < 10 + 700 * kind; ++i)
    rank.Completed(rank.Allreduce(64, 10 + i % 5));
  const std::int64_t row = rank.Pending(rank.Allreduce(1, 70));
  rank.writer().AddCell(row, CELL_POSITION, 10, 1);
  rank.writer().AddSetting("python.version", "3.11.2");
  for (const EventKind event_kind :
       {EVENT_SNAPSHOT_BEGIN, EVENT_SNAPSHOT_THREAD, EVENT_MOVED_ROW, EVENT_MEMBERS}) {
    Event event;
    event.set_kind(event_kind);
    event.set_row(5);
    event.set_value(1);
    event.set_data(std::string(24, '\1'));
    rank.writer().AddEvent(event);
  }
  if (kind == 0) rank.Exit(1);
  if (kind == 1) rank.KilledWithoutNotice();
  if (kind == 2) rank.Alive();
  return rank.writer().Finish(kind == 2 ? 1 : 0);
}

}  // namespace
}  // namespace rollcall::analyzer

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: trace_file_seeds FOLDER\n";
    return 64;
  }
  std::filesystem::create_directories(argv[1]);
  for (int kind = 0; kind < 3; ++kind) {
    std::ofstream file(std::string(argv[1]) + "/seed" + std::to_string(kind), std::ios::binary);
    file << rollcall::analyzer::Seed(kind);
    if (!file) return 1;
  }
  return 0;
}
