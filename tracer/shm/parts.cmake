list(APPEND tracer_sources shm/consumer_lock.cpp shm/container.cpp shm/container_plan.cpp shm/local_socket.cpp
    shm/own_threads.cpp shm/session_kinds.cpp shm/session_memory.cpp)
list(APPEND tracer_unit_test_sources shm/container_test.cpp shm/memory_nodes_test.cpp shm/own_threads_test.cpp shm/session_memory_test.cpp)
