# Whole diagnoses: against fr_trace, and against the number of ranks and calls. ctest runs small ones, so that they do not rot.
add_executable(write_job write_job.cc)
target_link_libraries(write_job PRIVATE rollcall_analyzer rollcall_warnings rollcall_sanitizers)
add_dependencies(tests-bench write_job rollcall_main)
if(Python3_FOUND)
  add_test(NAME "bench: growth with ranks and calls, small"
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/analysis_bench.py $<TARGET_FILE:write_job>
                   $<TARGET_FILE:rollcall_main> --short)
  add_test(NAME "bench: against fr_trace, small"
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/fr_trace_bench.py $<TARGET_FILE:write_job>
                   $<TARGET_FILE:rollcall_main> --ranks 8 --calls 60 --runs 1)
  set_tests_properties("bench: growth with ranks and calls, small" "bench: against fr_trace, small" PROPERTIES LABELS bench)
endif()
