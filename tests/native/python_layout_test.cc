// Which layouts are refused: versions that are unknown, and builds that nobody has tried.
#include <cstdint>
#include <cstring>
#include <vector>

#include "interpose/python/layout.h"
#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kInterpreterId = 8, kTextLength = 32;

// _Py_DebugOffsets with the sections of 3.14.
std::vector<std::uint64_t> Offsets(std::uint64_t version, bool free_threaded) {
  std::vector<std::uint64_t> words(3, 0);
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = version;
  words[2] = free_threaded ? 1 : 0;
  const auto section = [&words](std::vector<std::uint64_t> members) {
    words.insert(words.end(), members.begin(), members.end());
  };
  const std::vector<std::uint64_t> other(16, 1);
  const auto skip = [&](std::size_t count) { section({other.begin(), other.begin() + count}); };
  skip(3);
  section({1, kInterpreterId, 1, 1});
  skip(12);
  section({1, 1, 8, 16, 72, 152, 160, 1, 1});
  section({1, 8, 0, 56, 1, 74, 1, 76});
  section({1, 128, 1, 144, 152, 84, 1, 1, 1, 216, 208});
  section({1, 24});
  for (const std::size_t count : {4u, 3u, 3u, 4u, 3u, 2u, 3u})
    skip(count);
  section({1, 32, 48});
  section({1, 48, kTextLength, 56});
  return words;
}

}  // namespace

TEST_CASE("free-threaded builds are read up to 3.13, as far as they were tried",
          "[python_layout]") {
  PythonLayout layout;
  CHECK(FindPythonLayout(14, Offsets(0x030e0af0, false).data(), &layout));
  CHECK_FALSE(layout.free_threaded);
  CHECK(layout.interpreter_id == kInterpreterId);
  CHECK(layout.text_length == kTextLength);
  CHECK_FALSE(FindPythonLayout(14, Offsets(0x030e0af0, true).data(), &layout));
  CHECK(layout.free_threaded);
  CHECK(FindPythonLayout(13, Offsets(0x030d0af0, true).data(), &layout));
}

TEST_CASE("what is not known is refused", "[python_layout]") {
  PythonLayout layout;
  for (const int minor : {0, 6, 7, 16, 99})
    CHECK_FALSE(FindPythonLayout(minor, Offsets(0x030e0af0, false).data(), &layout));
  CHECK_FALSE(FindPythonLayout(14, nullptr, &layout));
  CHECK_FALSE(FindPythonLayout(14, Offsets(0x030d0af0, false).data(), &layout));  // says 3.13
  std::vector<std::uint64_t> encrypted = Offsets(0x030e0af0, false);
  encrypted[0] = 0;
  CHECK_FALSE(FindPythonLayout(14, encrypted.data(), &layout));
  for (const int minor : {8, 9, 10, 11, 12})
    CHECK(FindPythonLayout(minor, nullptr, &layout));
}

}  // namespace rollcall::interpose
