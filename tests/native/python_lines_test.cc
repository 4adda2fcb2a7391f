// Line tables: a few by hand, and hostile bytes. The interpreters' own tables are compared in
// tests/python.
#include "analyzer/trace/python_lines.h"

#include <random>
#include <string>

#include "tests/catch.h"

namespace rollcall::analyzer {

TEST_CASE("a line table of 3.9 counts from its first line", "[python_lines]") {
  const std::string table("\x00\x01\x08\x01\x0a\xff", 6);
  REQUIRE(PythonLine(9, 10, table, -1) == 10);
  REQUIRE(PythonLine(9, 10, table, 0) == 11);
  REQUIRE(PythonLine(9, 10, table, 8) == 12);
  REQUIRE(PythonLine(9, 10, table, 18) == 11);
  REQUIRE(PythonLine(8, 10, "", 4) == 10);
}

TEST_CASE("a range of 3.10 may have no line", "[python_lines]") {
  const std::string table("\x02\x01\x04\x80\x02\x02", 6);
  REQUIRE(PythonLine(10, 5, table, 0) == 6);
  REQUIRE(PythonLine(10, 5, table, 2) == 0);
  REQUIRE(PythonLine(10, 5, table, 6) == 8);
  REQUIRE(PythonLine(10, 5, table, 8) == 0);
}

TEST_CASE("a location table of 3.11 has five kinds of entry", "[python_lines]") {
  // One code unit each: short, one line further, no columns (+2), long (-1), none.
  const std::string table("\x80\x11\xd8\x01\x02\xe8\x04\xf0\x03\x00\x01\x01\xf8", 13);
  REQUIRE(PythonLine(11, 7, table, 0) == 7);
  REQUIRE(PythonLine(11, 7, table, 2) == 8);
  REQUIRE(PythonLine(11, 7, table, 4) == 10);
  REQUIRE(PythonLine(11, 7, table, 6) == 9);
  REQUIRE(PythonLine(11, 7, table, 8) == 0);
  REQUIRE(PythonLine(11, 7, table, 10) == 0);
}

TEST_CASE("the recorder's short form of a long table is read", "[python_lines]") {
  const std::string table("\x00\x02\x01\x04\x80\x02\x02", 7);
  REQUIRE(PythonLine(13, 5, table, 0) == 6);
  REQUIRE(PythonLine(13, 5, table, 2) == 0);
  REQUIRE(PythonLine(13, 5, table, 7) == 8);
}

TEST_CASE("any bytes are a line table", "[python_lines]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200000; ++round) {
    // A copy of its exact size: the address sanitizer sees a byte too far.
    const std::string bytes = [&random] {
      std::string made(random() % 24, '\0');
      for (char& byte : made)
        byte = static_cast<char>(random() % 3 == 0 ? 0xff : random());
      return made;
    }();
    const int minor = 8 + static_cast<int>(random() % 8);
    const int first_line = round % 3 == 0 ? 2147483647 : static_cast<int>(random() % 5000);
    const int offset = static_cast<int>(random() % 400) - 3;
    REQUIRE(PythonLine(minor, first_line, absl::string_view(bytes.data(), bytes.size()), offset) >=
            0);
  }
  REQUIRE(PythonLine(11, 1, std::string(100000, '\xff'), 2147483647) == 0);
  REQUIRE(PythonLine(9, -5, "", 0) == 0);
}

}  // namespace rollcall::analyzer
