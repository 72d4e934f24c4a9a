# Traces for tests that cross rooms (tests/tracer).
if(MAXLAT_BUILD_TESTS)
  add_executable(ctf_sample_trace ctf/sample_trace.cpp)
  target_link_libraries(ctf_sample_trace PRIVATE maxlat::tracer maxlat_build_flags)
endif()
