if(MAXLAT_BUILD_TESTS)
  maxlat_fuzz_test(tracer fuzz_session RUNS 5000 SOURCES shm/fuzz_session.cpp)
endif()
