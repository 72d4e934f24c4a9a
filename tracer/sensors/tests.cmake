maxlat_fuzz_test(tracer fuzz_group RUNS 5000 SOURCES sensors/fuzz_group.cpp LINKS GTest::gtest)
if(MAXLAT_BUILD_TESTS AND (NOT MAXLAT_SANITIZE OR MAXLAT_SANITIZE MATCHES address))
  maxlat_ring_variant(event_list_schedule COUNT_BITS 64 COMMIT_BITS 40 TIME_BITS 32
    SOURCES sensors/event_list_schedule_test.cpp)
endif()
if(MAXLAT_BUILD_TESTS AND NOT MAXLAT_SANITIZE)  # sanitizers have a malloc of their own
  add_executable(tracer_sensor_allocations_program sensors/allocations_program.cpp)
  target_link_libraries(tracer_sensor_allocations_program PRIVATE maxlat::tracer maxlat_build_flags Threads::Threads)
  add_test(NAME tracer.sensor_allocations COMMAND tracer_sensor_allocations_program)
  set_tests_properties(tracer.sensor_allocations PROPERTIES LABELS unit TIMEOUT 60)
  add_test(NAME tracer.sensor_mutants COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sensors/run_mutants.py ${CMAKE_CXX_COMPILER}
    -D_GNU_SOURCE "-DMAXLAT_RING_PORT=<maxlat/ring/port_test.h>" -I${CMAKE_SOURCE_DIR}/base/include)
  set_tests_properties(tracer.sensor_mutants PROPERTIES LABELS model TIMEOUT 3000)
endif()
