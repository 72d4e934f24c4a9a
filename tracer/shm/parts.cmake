list(APPEND tracer_sources shm/consumer_lock.cpp shm/local_socket.cpp shm/own_threads.cpp shm/session_memory.cpp)
list(APPEND tracer_unit_test_sources shm/memory_nodes_test.cpp shm/own_threads_test.cpp shm/session_memory_test.cpp)
