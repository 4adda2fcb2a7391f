if(benchmark_FOUND)
  add_executable(reader_bench reader_bench.cc)
  target_link_libraries(reader_bench PRIVATE rollcall_analyzer rollcall_warnings rollcall_sanitizers benchmark::benchmark)
endif()
