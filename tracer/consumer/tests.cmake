# The program that tests/tracer records.
if(MAXLAT_BUILD_TESTS)
  add_executable(traced_program consumer/traced_program.cpp)
  target_link_libraries(traced_program PRIVATE maxlat::tracer maxlat_build_flags Threads::Threads)

  # A consumer and the ring under one scheduler: compiled into the test with its port (ring/tests.cmake), at the widths
  # that the library has.
  if(NOT MAXLAT_SANITIZE MATCHES thread)
    maxlat_ring_variant(ring_drain_schedule COUNT_BITS 64 COMMIT_BITS 40 TIME_BITS 32
      SOURCES consumer/drain_schedule_test.cpp consumer/ring_drain.cpp consumer/trace_file.cpp consumer/written_trace.cpp
        shm/consumer_lock.cpp shm/container.cpp shm/container_plan.cpp shm/session_kinds.cpp shm/session_memory.cpp)
    target_include_directories(ring_drain_schedule PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
      ${CMAKE_SOURCE_DIR}/tests/support/include)
    target_link_libraries(ring_drain_schedule PRIVATE maxlat::base)
  endif()
endif()
