// DistributedDataParallel's check of the parameters: who it stopped is not therefore wrong.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

std::string Stopped(int rank, const std::string& sizes) {
  return "raise \"RuntimeError: [" + std::to_string(rank) +
         "]: params[0] in this process with sizes " + sizes +
         " appears not to match sizes of the same param in process 0.\" @m.py:8 in main\n";
}

constexpr char kStart[] = "world 4\n*: allgather 8 u8 @m.py:8 in main\n";

TEST_CASE("who is alone with its parameters is named, although the check stopped the others",
          "[parameters]") {
  const Finding finding =
      FirstOf(kStart + std::string("1: ") + Stopped(1, "[9, 8]") + "2: " + Stopped(2, "[9, 8]") +
              "3: " + Stopped(3, "[9, 8]") + "0: broadcast 64 u8 root=0 @m.py:8 in main !failed\n" +
              "0: raise \"RuntimeError: Connection closed by peer\"\n");
  CHECK(finding.kind() == "arg_mismatch");
  CHECK(finding.argument() == "parameters");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(VictimsOf(finding) == Numbers{1, 2, 3});
  for (int rank = 0; rank < 4; ++rank)
    CHECK(LineOf(finding, rank) == "m.py:8");
}

TEST_CASE("of many one that the check stopped is named", "[parameters]") {
  const Finding finding = FirstOf(kStart + std::string("2: ") + Stopped(2, "[9, 8]") +
                                  "0,1,3: broadcast 64 u8 root=0 @m.py:8 in main !failed\n" +
                                  "0,1,3: raise \"RuntimeError: Connection closed by peer\"\n");
  CHECK(finding.argument() == "parameters");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("two and two that disagree about their parameters are a tie", "[parameters]") {
  const auto counts = [](int rank, int mine, int other, int theirs) {
    return std::to_string(rank) +
           ": raise \"RuntimeError: DDP expects same model across all ranks, but Rank " +
           std::to_string(rank) + " has " + std::to_string(mine) + " params, while rank " +
           std::to_string(other) + " has inconsistent " + std::to_string(theirs) +
           " params.\" @m.py:8 in main\n";
  };
  const Finding finding = FirstOf(kStart + counts(0, 4, 2, 6) + counts(1, 4, 2, 6) +
                                  counts(2, 6, 0, 4) + counts(3, 6, 0, 4));
  CHECK(finding.argument() == "parameters");
  CHECK(RanksOf(finding) == Numbers{0, 1, 2, 3});
}

}  // namespace
}  // namespace rollcall::tests
