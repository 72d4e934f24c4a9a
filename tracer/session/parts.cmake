list(APPEND tracer_sources
    session/boot_clock.cpp
    session/channel.cpp
    session/control_commands.cpp
    session/control_folder.cpp
    session/control_server.cpp
    session/control_table.cpp
    session/events.cpp
    session/fork.cpp
    session/live_channels.cpp
    session/pattern.cpp
    session/session.cpp
    session/session_core.cpp
    session/threads.cpp)
# Requests of the control socket: a file, and a row in session/control_table.cpp.
file(GLOB control_commands RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS session/commands/*.cpp)
list(APPEND tracer_sources ${control_commands})
list(APPEND tracer_unit_test_sources
    session/channel_test.cpp
    session/context_test.cpp
    session/fields_test.cpp
    session/metadata_full_test.cpp
    session/scope_test.cpp
    session/session_test.cpp
    session/session_threads_test.cpp
    session/storm_test.cpp)
# Sanitizers add instructions of their own.
if(NOT MAXLAT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND tracer_unit_test_sources session/cost_test.cpp)
endif()
if(NOT MAXLAT_SANITIZE)
  list(APPEND tracer_unit_test_sources session/prepared_thread_test.cpp)
endif()
# ThreadSanitizer delivers signals when it likes.
if(NOT MAXLAT_SANITIZE MATCHES thread AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND tracer_unit_test_sources session/single_step_test.cpp)
endif()
# A process with threads that forks is nothing for ThreadSanitizer.
if(NOT MAXLAT_SANITIZE MATCHES thread)
  list(APPEND tracer_unit_test_sources session/boot_clock_test.cpp session/control_server_test.cpp
    session/control_table_test.cpp session/process_test.cpp)
endif()
if(MAXLAT_SANITIZE MATCHES thread)
  # ThreadSanitizer does not know fences. Here they stand beside system calls, not between accesses it should judge.
  set_source_files_properties(session/threads.cpp PROPERTIES COMPILE_OPTIONS -Wno-error=tsan)
endif()
