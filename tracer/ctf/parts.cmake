list(APPEND tracer_sources
    ctf/metadata.cpp
    ctf/metadata_reader.cpp
    ctf/packet_file.cpp
    ctf/stream_overlap.cpp
    ctf/stream_reader.cpp
    ctf/thread_names.cpp
    ctf/trace_clock.cpp
    ctf/trace_folder.cpp
    ctf/trace_reader.cpp
    ctf/tsdl.cpp
    ctf/tsdl_lexer.cpp)
list(APPEND tracer_unit_test_sources
    ctf/metadata_reader_test.cpp
    ctf/merge_stamped_test.cpp
    ctf/metadata_test.cpp
    ctf/stream_loss_test.cpp
    ctf/thread_names_test.cpp
    ctf/trace_clock_test.cpp
    ctf/trace_reader_test.cpp)
