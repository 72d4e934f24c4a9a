list(APPEND tracer_sources
    session/channel.cpp
    session/events.cpp
    session/fork.cpp
    session/live_channels.cpp
    session/pattern.cpp
    session/session.cpp
    session/session_core.cpp
    session/threads.cpp
    shm/session_file.cpp)
list(APPEND tracer_unit_test_sources session/fields_test.cpp)
