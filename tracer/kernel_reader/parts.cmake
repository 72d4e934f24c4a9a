list(APPEND tracer_sources kernel_reader/kernel_events.cpp kernel_reader/kernel_ring.cpp
    kernel_reader/kernel_session.cpp)
list(APPEND tracer_unit_test_sources kernel_reader/kernel_ring_test.cpp)
