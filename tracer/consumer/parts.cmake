list(APPEND tracer_sources
    consumer/books_text.cpp
    consumer/control_client.cpp
    consumer/control_places.cpp
    consumer/recorder.cpp
    consumer/recorder_snapshots.cpp
    consumer/recorder_thread.cpp
    consumer/ring_drain.cpp
    consumer/ring_names.cpp
    consumer/session_names.cpp
    consumer/trace_file.cpp
    consumer/trace_writer.cpp
    consumer/written_trace.cpp)
list(APPEND tracer_unit_test_sources
    consumer/control_client_test.cpp
    consumer/control_places_test.cpp
    consumer/flight_recorder_test.cpp
    consumer/growing_file_test.cpp
    consumer/in_process_test.cpp
    consumer/recorder_order_test.cpp
    consumer/recorder_test.cpp
    consumer/recorder_uncounted_test.cpp
    consumer/ring_names_test.cpp
    consumer/session_names_test.cpp
    consumer/trace_file_test.cpp
    consumer/trace_writer_test.cpp)
