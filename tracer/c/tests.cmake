# One source, as C11 against the shared library, and as C++17 against the static ones.
if(MAXLAT_BUILD_TESTS)
  set(tracer_headers ${CMAKE_CURRENT_SOURCE_DIR}/include)
  add_executable(tracer_c_program c/program.c)
  target_compile_options(tracer_c_program PRIVATE -std=c11)
  target_include_directories(tracer_c_program PRIVATE ${tracer_headers})
  target_link_libraries(tracer_c_program PRIVATE maxlat_trace maxlat_build_flags)

  configure_file(c/program.c ${CMAKE_CURRENT_BINARY_DIR}/c/program_17.cpp COPYONLY)
  add_executable(tracer_cpp17_program ${CMAKE_CURRENT_BINARY_DIR}/c/program_17.cpp)
  target_compile_options(tracer_cpp17_program PRIVATE -std=c++17)
  target_include_directories(tracer_cpp17_program PRIVATE ${tracer_headers})
  target_link_libraries(tracer_cpp17_program PRIVATE maxlat_trace maxlat_build_flags)

  add_executable(tracer_twice_program c/twice_program.c c/twice_other_program.c)
  target_include_directories(tracer_twice_program PRIVATE ${tracer_headers})
  target_link_libraries(tracer_twice_program PRIVATE maxlat_trace maxlat_build_flags)

  add_executable(tracer_refused_program c/refused_program.c)
  target_include_directories(tracer_refused_program PRIVATE ${tracer_headers})
  target_link_libraries(tracer_refused_program PRIVATE maxlat_trace maxlat_build_flags)
  if(MAXLAT_SANITIZE)
    # The library below is C++ and leaves it to the program to bring the sanitizer's run-time.
    set_target_properties(tracer_c_program tracer_twice_program tracer_refused_program PROPERTIES LINKER_LANGUAGE CXX)
  endif()

  if(NOT MAXLAT_SANITIZE)  # sanitizers have an operator new of their own
    add_executable(tracer_no_memory_program c/no_memory_program.cpp)
    target_link_libraries(tracer_no_memory_program PRIVATE maxlat::tracer maxlat_build_flags)
    add_test(NAME tracer.c_without_memory COMMAND tracer_no_memory_program)
    set_tests_properties(tracer.c_without_memory PROPERTIES LABELS unit TIMEOUT 120)
  endif()

  add_test(NAME tracer.c_declarations COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/c/check_declarations.sh ${CMAKE_C_COMPILER}
    ${CMAKE_CXX_COMPILER} ${tracer_headers})
  set_tests_properties(tracer.c_declarations PROPERTIES LABELS unit TIMEOUT 180)  # some sixty runs of the compilers
endif()
