# The writer against libprotobuf and plain references.
add_library(recording_child STATIC core/recording_child.cc core/trace_view.cc)
target_link_libraries(recording_child PUBLIC trace_proto rollcall_headers
                      PRIVATE rollcall_warnings rollcall_sanitizers)
foreach(name live kill ring shapes stamps full definitions bounds)
  rollcall_test(core_${name}_test core/${name}_test.cc LIBRARIES recording_child rollcall_interpose)
endforeach()

if(NOT ROLLCALL_SANITIZE)
  add_test(NAME "core_bounds_test: full size" COMMAND core_bounds_test "[.full]")
  set_tests_properties("core_bounds_test: full size" PROPERTIES LABELS "interpose;full" TIMEOUT 600)
  add_test(NAME core_symbols_test
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/core/symbols_test.sh $<TARGET_FILE:rollcall>)
  set_tests_properties(core_symbols_test PROPERTIES LABELS interpose)
endif()
