list(APPEND tracer_sources
    c/record.cpp
    c/registry.cpp
    c/session.cpp)
