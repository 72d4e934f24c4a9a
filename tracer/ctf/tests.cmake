# Traces for tests that cross rooms (tests/tracer) and for benchmarks.
if(MAXLAT_BUILD_TESTS OR MAXLAT_BUILD_BENCHMARKS)
  foreach(program ctf_sample_trace ctf_large_trace)
    string(REPLACE "ctf_" "" source ${program})
    add_executable(${program} ctf/${source}_program.cpp)
    target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE maxlat::tracer maxlat_build_flags)
  endforeach()
endif()

# The reader itself is compiled into the target, so that the fuzzer sees which of its branches an input takes.
if(MAXLAT_BUILD_TESTS)
  maxlat_fuzz_test(fuzz_trace RUNS 20000 SOURCES ctf/fuzz_trace.cpp
    ctf/metadata_reader.cpp ctf/packet_file.cpp ctf/stream_reader.cpp ctf/thread_names.cpp ctf/tsdl_lexer.cpp
    ring/walk.c)
endif()
