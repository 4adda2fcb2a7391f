# Settings that hold for all targets, as interface targets: rollcall_warnings is linked by every target of ours.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)  # asm labels, cleanup attribute
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

option(ROLLCALL_WERROR "Warnings are errors" ON)
set(ROLLCALL_SANITIZE "" CACHE STRING "Sanitizers for our code: address;undefined or thread")
# The Pythons under test; tools/test sets both. An empty one has no tests.
set(ROLLCALL_TORCH_PYTHON "/usr/bin/python3" CACHE STRING "Python with the distribution's PyTorch, for end-to-end tests")
set(ROLLCALL_WHEEL_PYTHON "" CACHE STRING "Python with PyTorch from a wheel, for end-to-end tests")

add_library(rollcall_warnings INTERFACE)
target_compile_options(rollcall_warnings INTERFACE -Wall -Wextra -Wshadow -Wpointer-arith
                       $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
                       $<$<BOOL:${ROLLCALL_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms in libstdc++'s own "literal" + string (GCC bug 105651).
  target_compile_options(rollcall_warnings INTERFACE -Wno-restrict)
endif()
target_include_directories(rollcall_warnings INTERFACE ${PROJECT_SOURCE_DIR})

add_library(rollcall_sanitizers INTERFACE)
if(ROLLCALL_SANITIZE)
  list(JOIN ROLLCALL_SANITIZE "," rollcall_sanitize_list)
  target_compile_options(rollcall_sanitizers INTERFACE -fsanitize=${rollcall_sanitize_list}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(rollcall_sanitizers INTERFACE -fsanitize=${rollcall_sanitize_list})
endif()
