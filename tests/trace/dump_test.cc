// rollcall dump: every packet, one a line.
#include "tools/rollcall/dump.h"

#include <algorithm>
#include <sstream>

#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::tools {
namespace {

using analyzer::SyntheticRank;
using analyzer::TemporaryFolder;

std::string Example() {
  SyntheticRank rank(1, 4);
  for (int i = 0; i < 1500; ++i)
    rank.Completed(rank.Allreduce(64, 41));
  const std::int64_t row = rank.Pending(rank.Allreduce(1, 57));
  rank.writer().AddCell(row, CELL_POSITION, 1500, 1);
  rank.writer().AddSetting("env.RANK", "1");
  Event event;
  event.set_kind(EVENT_RECORDING);
  event.set_data("why");
  rank.writer().AddEvent(event);
  rank.Exit(3);
  return rank.writer().Finish();
}

std::size_t Count(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

struct Printed {
  int status;
  std::string out, err;
};

Printed Print(const std::string& path) {
  std::ostringstream out, err;
  const int status = Dump(path, out, err);
  return {status, out.str(), err.str()};
}

TEST_CASE("a dump shows every packet with what it says") {
  const TemporaryFolder folder;
  const Printed dump = Print(folder.Write("a.rollcall", Example()));
  CHECK(dump.status == 0);
  CHECK(dump.err.empty());
  CHECK(dump.out.rfind("0 header version: 1", 0) == 0);
  CHECK(Count(dump.out, "\n2048 state phase=running") == 1);
  CHECK(Count(dump.out, " end=exit status=3") == 1);
  CHECK(Count(dump.out, " call row=") == 1501);
  CHECK(Count(dump.out, "allreduce on=default_pg|0/|1/|cpu/| rank=1/4 count=64 f32 sum") == 1500);
  CHECK(Count(dump.out, " completed=- @train.py:57 main\n") == 1);
  CHECK(Count(dump.out, " cell row=1500 position value=1500 extra=1\n") == 1);
  CHECK(Count(dump.out, "name: \"env.RANK\" value: \"1\"") == 1);
  CHECK(Count(dump.out, "event kind: EVENT_RECORDING data: \"why\"") == 1);
  CHECK(Count(dump.out, " progress sequence=1 lane=1 count=1501 ") == 1);
  CHECK(Count(dump.out, " checkpoints lane=1 first=1 step=1024 hashes=1\n") == 1);
}

TEST_CASE("a dump goes on behind damage and says where it is") {
  const TemporaryFolder folder;
  std::string bytes = Example();
  const std::size_t block = bytes.size() - 2 * 16384;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(block), 16384, '\xff');
  const Printed dump = Print(folder.Write("a.rollcall", bytes));
  CHECK(dump.status == 0);
  CHECK(dump.err.find("the first at byte " + std::to_string(block)) != std::string::npos);
  CHECK(Count(dump.out, "\n" + std::to_string(block) + " damaged") == 1);
  CHECK(Count(dump.out, " call row=") == 1501 - 1020);
}

TEST_CASE("what is no trace is refused with a reason") {
  const TemporaryFolder folder;
  const Printed dump = Print(folder.Write("a.rollcall", "hello"));
  CHECK(dump.status == 2);
  CHECK(dump.out.empty());
  CHECK(dump.err.find("not a trace of rollcall") != std::string::npos);
}

}  // namespace
}  // namespace rollcall::tools
