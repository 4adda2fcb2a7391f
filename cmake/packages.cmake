# Needed: protobuf, abseil, Boost.Graph (headers), protozero (headers), CLI11 (headers). What else is missing switches its part
# off with one line that says so (cmake/summary.cmake).
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)  # its own file: newer CMakes have none for it
find_package(CLI11 REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_message.hpp REQUIRED)

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(LIBDW QUIET IMPORTED_TARGET libdw)
endif()
if(BUILD_TESTING)
  find_package(Catch2 QUIET)     # 2.13 or 3.x
  find_package(benchmark QUIET)
endif()
