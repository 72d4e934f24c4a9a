set(ring_sources
    ring/follow/follow.c
    ring/freeze.c
    ring/layout.c
    ring/open_packet.c
    ring/follow/peek.c
    ring/promote.c
    ring/read.c
    ring/reserve.c
    ring/walk.c)
list(APPEND tracer_sources ${ring_sources})
list(APPEND tracer_unit_test_sources ring/layout_test.cpp
    ring/successor_test.cpp ring/stress_test.cpp ring/hostile_test.cpp ring/open_packet_test.cpp ring/walk_test.cpp)

if(MAXLAT_SANITIZE MATCHES thread)
  # ThreadSanitizer does not know fences; the promotion is for machines that it does not run on.
  set_source_files_properties(ring/promote.c PROPERTIES COMPILE_OPTIONS -Wno-error=tsan)
endif()
# ThreadSanitizer delivers signals when it likes, and sanitizers add instructions of their own.
if(NOT MAXLAT_SANITIZE MATCHES thread AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND tracer_unit_test_sources ring/kill_test.cpp ring/single_step_test.cpp)
endif()
if(NOT MAXLAT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND tracer_unit_test_sources ring/cost_test.cpp)
endif()
