# ninja stacks_bench: ns per capture, with the interpreter BENCH_PYTHON.
if(TARGET stack_probe)
  set(BENCH_PYTHON /usr/bin/python3 CACHE FILEPATH "Interpreter of the benchmarks")
  add_custom_target(stacks_bench
    COMMAND ${CMAKE_COMMAND} -E env ROLLCALL_PROBE=$<TARGET_FILE:stack_probe> PYTHONDONTWRITEBYTECODE=1
            ${BENCH_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/stacks_bench.py
    DEPENDS stack_probe USES_TERMINAL VERBATIM)
endif()
