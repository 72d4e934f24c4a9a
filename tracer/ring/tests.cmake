# Tests of the ring. `maxlat_ring_variant` compiles the ring itself into the test: with the scheduler's port and narrow
# counters and time stamps, which exist nowhere else.
function(maxlat_ring_variant name)
  cmake_parse_arguments(V "" "COUNT_BITS;COMMIT_BITS;TIME_BITS" "SOURCES" ${ARGN})
  list(TRANSFORM ring_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE ring)
  add_executable(${name} ${V_SOURCES} ${ring})
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:maxlat_tracer,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name} PRIVATE "MAXLAT_RING_PORT=<maxlat/ring/port_test.h>"
    MAXLAT_RING_COUNT_BITS=${V_COUNT_BITS} MAXLAT_RING_COMMIT_BITS=${V_COMMIT_BITS}
    MAXLAT_RING_TIME_BITS=${V_TIME_BITS})
  target_link_libraries(${name} PRIVATE maxlat_build_flags GTest::gmock GTest::gtest_main Threads::Threads)
  maxlat_discover_tests(${name} ${name} 120)
endfunction()

if(MAXLAT_BUILD_TESTS)
  foreach(width "64;40;32" "16;14;9" "13;11;6")
    list(GET width 0 count)
    list(GET width 1 commit)
    list(GET width 2 time)
    maxlat_ring_variant(ring_equations_${count} COUNT_BITS ${count} COMMIT_BITS ${commit} TIME_BITS ${time}
      SOURCES ring/equations_test.cpp)
    # One thread on stacks of its own: nothing for ThreadSanitizer to see. AddressSanitizer sees the same at each width.
    if(NOT MAXLAT_SANITIZE OR (MAXLAT_SANITIZE MATCHES address AND count EQUAL 64))
      maxlat_ring_variant(ring_schedule_${count} COUNT_BITS ${count} COMMIT_BITS ${commit} TIME_BITS ${time}
        SOURCES ring/schedule_test.cpp)
      if(NOT count EQUAL 13)  # a follower may be behind by all of a run: half of what a position counts
        maxlat_ring_variant(ring_follow_${count} COUNT_BITS ${count} COMMIT_BITS ${commit} TIME_BITS ${time}
          SOURCES ring/follow_schedule_test.cpp)
      endif()
    endif()
  endforeach()

  maxlat_ring_variant(ring_attempts COUNT_BITS 64 COMMIT_BITS 40 TIME_BITS 32 SOURCES ring/attempts_test.cpp)

  # libFuzzer is clang's. Without a corpus: the target makes its honest rings itself.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND NOT MAXLAT_SANITIZE MATCHES thread)
    list(TRANSFORM ring_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE ring)
    add_executable(fuzz_ring ring/fuzz_ring.cpp ${ring})
    target_include_directories(fuzz_ring PRIVATE $<TARGET_PROPERTY:maxlat_tracer,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(fuzz_ring PRIVATE -fsanitize=fuzzer,address -O1)
    target_link_options(fuzz_ring PRIVATE -fsanitize=fuzzer,address)
    target_link_libraries(fuzz_ring PRIVATE maxlat_build_flags)
    add_test(NAME tracer.fuzz_ring COMMAND fuzz_ring -runs=100000 -seed=1 -max_len=256 -timeout=10)
    set_tests_properties(tracer.fuzz_ring PROPERTIES LABELS fuzz TIMEOUT 300)
  endif()

  # Undoes one decision of the source after the other: the schedule test must notice each.
  if(NOT MAXLAT_SANITIZE)
    add_test(NAME tracer.ring_mutants COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ring/run_mutants.py ${CMAKE_CXX_COMPILER}
      -D_GNU_SOURCE -DMAXLAT_RING_COUNT_BITS=16 -DMAXLAT_RING_COMMIT_BITS=14 -DMAXLAT_RING_TIME_BITS=9
      "-DMAXLAT_RING_PORT=<maxlat/ring/port_test.h>" -I${CMAKE_SOURCE_DIR}/base/include)
    set_tests_properties(tracer.ring_mutants PROPERTIES LABELS model TIMEOUT 3000)
  endif()

  add_test(NAME tracer.models COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/model/run_models.py)
  set_tests_properties(tracer.models PROPERTIES LABELS model TIMEOUT 3000 SKIP_RETURN_CODE 77)
endif()

if(MAXLAT_BUILD_BENCHMARKS)
  add_executable(ring_bench ring/ring_bench.cpp)
  target_link_libraries(ring_bench PRIVATE maxlat::tracer maxlat_build_flags)
endif()
