list(APPEND tracer_sources
    c/record.cpp
    c/declaration_check.cpp
    c/monitor.cpp
    c/monitor_events.cpp
    c/registry.cpp
    c/session.cpp)
