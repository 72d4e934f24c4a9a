list(APPEND tracer_sources
    ctf/metadata.cpp
    ctf/trace_clock.cpp
    ctf/tsdl.cpp)
list(APPEND tracer_unit_test_sources
    ctf/metadata_test.cpp
    ctf/trace_clock_test.cpp)
