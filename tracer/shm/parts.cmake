list(APPEND tracer_sources shm/consumer_lock.cpp shm/container.cpp shm/container_plan.cpp shm/file_size_limit.cpp
    shm/local_socket.cpp
    shm/memory_nodes.cpp shm/own_threads.cpp shm/reserve_memory.cpp shm/session_file.cpp shm/session_kinds.cpp shm/session_memory.cpp)
list(APPEND tracer_unit_test_sources shm/container_test.cpp shm/memory_nodes_test.cpp shm/own_threads_test.cpp
  shm/session_memory_test.cpp)
if(MAXLAT_SANITIZE MATCHES thread)
  # ThreadSanitizer does not know fences. Between these all accesses are atomic: it has nothing to judge there.
  set_source_files_properties(shm/container.cpp shm/container_plan.cpp PROPERTIES COMPILE_OPTIONS -Wno-error=tsan)
endif()
