# Targets that judge the sources: check-layers, and check-format and check-tidy where clang's tools are installed.
find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(CLANG_FORMAT clang-format)
find_program(RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14 run-clang-tidy-19)
if(Python3_FOUND)
  add_custom_target(check-layers COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_layers VERBATIM)
endif()
if(CLANG_FORMAT)
  add_custom_target(check-format COMMAND ${PROJECT_SOURCE_DIR}/tools/check_format VERBATIM)
endif()
if(RUN_CLANG_TIDY)
  add_custom_target(check-tidy
    COMMAND ${RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} "${PROJECT_SOURCE_DIR}/(interpose|analyzer|tools)/.*"
    DEPENDS trace_proto  # its generated headers are included
    VERBATIM)
endif()
