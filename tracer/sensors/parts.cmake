list(APPEND tracer_sources sensors/common_group.cpp sensors/event_list_object.cpp sensors/event_list_reader.cpp
    sensors/event_merge.cpp sensors/find_groups.cpp sensors/group.cpp sensors/group_layout.cpp sensors/group_memory.cpp
    sensors/kinds/histogram_value.cpp sensors/kinds/trace_reader.cpp sensors/monitor.cpp sensors/published_groups.cpp
    sensors/sensor_kind.cpp sensors/sensor_object.cpp sensors/sensor_pattern.cpp sensors/striped.cpp)
list(APPEND tracer_unit_test_sources sensors/event_list_test.cpp sensors/event_merge_test.cpp sensors/group_test.cpp
    sensors/owned_group_test.cpp sensors/producer_test.cpp sensors/sensor_kind_test.cpp sensors/striped_test.cpp
    sensors/trace_ring_copy_test.cpp sensors/trace_ring_test.cpp sensors/values_test.cpp
    sensors/var_event_list_test.cpp)
if(MAXLAT_SANITIZE MATCHES thread)
  # ThreadSanitizer does not know fences. Between these all accesses are atomic: it has nothing to judge there.
  set_source_files_properties(sensors/event_list_reader.cpp sensors/kinds/kind_stat.cpp sensors/kinds/kind_trace.cpp
    PROPERTIES COMPILE_OPTIONS -Wno-error=tsan)
endif()
if(NOT MAXLAT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND tracer_unit_test_sources sensors/cost_test.cpp)
endif()
# ThreadSanitizer delivers signals when it likes.
if(NOT MAXLAT_SANITIZE MATCHES thread AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND tracer_unit_test_sources sensors/event_list_nested_test.cpp sensors/nested_test.cpp)
endif()
