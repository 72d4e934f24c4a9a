list(APPEND tracer_sources directory/ask.cpp directory/directory.cpp directory/directory_rules.cpp directory/hand_over.cpp
    directory/kept_groups.cpp directory/known_groups.cpp directory/messages.cpp)
# The tests fork, and ThreadSanitizer has nothing to see here: there is one thread.
if(NOT MAXLAT_SANITIZE MATCHES thread)
  list(APPEND tracer_unit_test_sources directory/directory_test.cpp directory/kept_groups_test.cpp
    sensors/common_group_test.cpp)
endif()
