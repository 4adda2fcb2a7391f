# What the recorder adds to a Gloo call: gloo_bench.py runs this with and without it.
find_path(ROLLCALL_GLOO_INCLUDE_DIR gloo/allreduce.h)
find_library(ROLLCALL_GLOO_LIBRARY gloo)
if(ROLLCALL_GLOO_INCLUDE_DIR AND ROLLCALL_GLOO_LIBRARY)
  add_executable(gloo_bench gloo_bench.cc)
  target_include_directories(gloo_bench SYSTEM PRIVATE ${ROLLCALL_GLOO_INCLUDE_DIR})
  target_link_libraries(gloo_bench PRIVATE ${ROLLCALL_GLOO_LIBRARY} rollcall_warnings Threads::Threads)
endif()
