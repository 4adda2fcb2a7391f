# What a recorded call costs: core_bench prints ns and bytes per call.
if(benchmark_FOUND)
  add_executable(core_bench core_bench.cc)
  target_link_libraries(core_bench PRIVATE rollcall_interpose benchmark::benchmark rollcall_warnings)
endif()
