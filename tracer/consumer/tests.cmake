# The program that tests/tracer records.
if(MAXLAT_BUILD_TESTS)
  add_executable(traced_program consumer/traced_program.cpp)
  target_link_libraries(traced_program PRIVATE maxlat::tracer maxlat_build_flags Threads::Threads)
endif()
