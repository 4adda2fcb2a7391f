// Layouts of interpreters that no machine here has: free-threaded builds of 3.14, by an image made
// of the offsets that such a build would say, and versions that are unknown.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "interpose/python/frame_walk.h"
#include "interpose/python/layout.h"
#include "interpose/python/text.h"
#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kInterpreterId = 8;
constexpr std::uint64_t kThreadFrame = 72, kThreadInterpreter = 16;
constexpr std::uint64_t kFrameBack = 8, kFrameInstruction = 56, kFrameOwner = 74, kFrameCopy = 76;
constexpr std::uint64_t kCodeFile = 128, kCodeName = 144, kCodeLines = 152, kCodeFirstLine = 84;
constexpr std::uint64_t kCodeBytes = 216, kCodeCopies = 208, kObjectType = 24, kObjectSize = 32;
constexpr std::uint64_t kTextLength = 32, kTextState = 48, kTextHeader = 56;

// _Py_DebugOffsets as a free-threaded 3.14 has it.
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
  section({1, 1, 8, kThreadInterpreter, kThreadFrame, 152, 160, 1, 1});
  section({1, kFrameBack, 0, kFrameInstruction, 1, kFrameOwner, 1, kFrameCopy});
  section(
      {1, kCodeFile, 1, kCodeName, kCodeLines, kCodeFirstLine, 1, 1, 1, kCodeBytes, kCodeCopies});
  section({1, kObjectType});
  for (const std::size_t count : {4u, 3u, 3u, 4u, 3u, 2u, 3u})
    skip(count);
  section({1, kObjectSize, 48});
  section({1, kTextState, kTextLength, kTextHeader});
  return words;
}

struct Object {
  alignas(16) unsigned char bytes[512] = {};
  template <class T>
  void Put(std::uint64_t at, T value) {
    std::memcpy(bytes + at, &value, sizeof value);
  }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(bytes); }
};

}  // namespace

TEST_CASE("a free-threaded 3.14 runs copies of the instructions", "[python_layout]") {
  const std::vector<std::uint64_t> words = Offsets(0x030e0af0, true);
  Interpreter python;
  REQUIRE(FindPythonLayout(14, words.data(), &python.layout));
  CHECK(python.layout.free_threaded);
  Object code_type, text_type, code, file, copy, thread, interpreter, frame, base;
  python.code_type = code_type.address();
  python.text_type = text_type.address();
  file.Put(kObjectType, text_type.address());
  file.Put(kTextLength, std::int64_t{8});
  file.Put(kTextState, std::uint32_t{0x03 | 1 << 8 | 0x800 | 0x1000});  // interned is a whole byte
  std::memcpy(file.bytes + kTextHeader, "train.py", 8);
  struct {
    std::uint64_t length;
    std::uintptr_t entry[2];
  } copies = {2, {code.address() + kCodeBytes, copy.address()}};
  code.Put(kObjectType, code_type.address());
  code.Put(kObjectSize, std::int64_t{40});
  code.Put(kCodeFile, file.address());
  code.Put(kCodeName, file.address());
  code.Put(kCodeLines, file.address());
  code.Put(kCodeFirstLine, std::int32_t{7});
  code.Put(kCodeCopies, reinterpret_cast<std::uintptr_t>(&copies));
  interpreter.Put(kInterpreterId, std::int64_t{3});
  thread.Put(kThreadInterpreter, interpreter.address());
  thread.Put(kThreadFrame, frame.address());
  frame.Put(kFrameBack, base.address());
  frame.Put(0, code.address() | 1);  // a tagged reference
  base.Put(kFrameOwner, std::uint8_t{3});
  PythonFrames frames;
  DirectMemory memory;
  const auto walk = [&](std::uint32_t index, std::uintptr_t instruction) {
    frame.Put(kFrameCopy, index);
    frame.Put(kFrameInstruction, instruction);
    WalkPythonFrames(python, memory, thread.address(), &frames);
  };
  SECTION("the first is that of the code object") {
    walk(0, code.address() + kCodeBytes + 12);
    REQUIRE(frames.count == 1);
    CHECK_FALSE(frames.truncated);
    CHECK(frames.interpreter == 3);
    CHECK(frames.frame[0].code == code.address());
    CHECK(frames.frame[0].offset == 12);
  }
  SECTION("others lie elsewhere") {
    walk(1, copy.address() + 34);
    REQUIRE(frames.count == 1);
    CHECK(frames.frame[0].offset == 34);
  }
  SECTION("an instruction of no copy is no frame") {
    walk(1, code.address() + kCodeBytes + 12);
    CHECK(frames.count == 0);
    CHECK(frames.broken);
    walk(2, copy.address());
    CHECK(frames.broken);
  }
  SECTION("text has its kind one byte further") {
    GuestMemory guest(true);
    char text[64];
    std::size_t bytes = 0;
    REQUIRE(ReadPythonText(python, guest, file.address(), text, sizeof text, &bytes));
    CHECK(std::string(text, bytes) == "train.py");
  }
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
