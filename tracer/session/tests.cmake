# Programs whose whole life is the test.
if(MAXLAT_BUILD_TESTS)
  find_package(GTest REQUIRED)
  foreach(program lifetime module keys)
    add_executable(tracer_${program}_program session/${program}_program.cpp)
    target_include_directories(tracer_${program}_program PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(tracer_${program}_program PRIVATE maxlat::tracer maxlat_build_flags GTest::gtest
      Threads::Threads)
  endforeach()
  set_target_properties(tracer_module_program PROPERTIES ENABLE_EXPORTS ON)
  # The tracer is the program's: the module brings none.
  add_library(tracer_module_under_test MODULE session/test_module.cpp)
  target_include_directories(tracer_module_under_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
    $<TARGET_PROPERTY:maxlat_tracer,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:maxlat_base,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(tracer_module_under_test PRIVATE maxlat_build_flags)

  # Two source files that declare one event differently. Not one unit, whatever is asked for elsewhere.
  add_executable(tracer_declared_twice_program session/declared_twice_program.cpp
    session/declared_otherwise_program.cpp)
  set_target_properties(tracer_declared_twice_program PROPERTIES UNITY_BUILD OFF)
  target_include_directories(tracer_declared_twice_program PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(tracer_declared_twice_program PRIVATE maxlat::tracer maxlat_build_flags Threads::Threads)
  add_test(NAME tracer.declared_twice COMMAND tracer_declared_twice_program)
  set(clash "maxlat: the events clash_a:b and clash:a_b are one to the linker; both stay disabled: rename one\n")
  set_tests_properties(tracer.declared_twice PROPERTIES LABELS unit TIMEOUT 60 PASS_REGULAR_EXPRESSION
    "^maxlat: the event twice:event is declared differently in two source files; it stays disabled\n${clash}2 recorded\n$")

  # The sessions' tests again where barrier_by_page_table() must do what membarrier(2) does elsewhere.
  add_executable(tracer_without_membarrier session/without_membarrier_program.cpp)
  target_link_libraries(tracer_without_membarrier PRIVATE maxlat_build_flags)
  add_test(NAME tracer.without_membarrier COMMAND tracer_without_membarrier $<TARGET_FILE:tracer_unit_tests>
    --gtest_filter=Session.*:*Threads.*:Stop.*:ThreadEnds.*:Fork.*:*InProcess.*)
  set_tests_properties(tracer.without_membarrier PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)

  add_test(NAME tracer.lifetime COMMAND tracer_lifetime_program)
  add_test(NAME tracer.module COMMAND tracer_module_program $<TARGET_FILE:tracer_module_under_test>)
  # Sanitizers have a malloc of their own.
  if(NOT MAXLAT_SANITIZE)
    add_test(NAME tracer.keys COMMAND tracer_keys_program)
    add_test(NAME tracer.keys_before_all COMMAND tracer_keys_program before-all)
    set_tests_properties(tracer.keys tracer.keys_before_all PROPERTIES LABELS unit TIMEOUT 60)
  endif()
  add_test(NAME tracer.arguments COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/session/check_arguments.sh ${CMAKE_CXX_COMPILER}
    "-I${CMAKE_CURRENT_SOURCE_DIR}/include;-I${CMAKE_CURRENT_BINARY_DIR}/include;-I${CMAKE_SOURCE_DIR}/base/include")
  set_tests_properties(tracer.lifetime tracer.module PROPERTIES LABELS unit TIMEOUT 60)
  set_tests_properties(tracer.arguments PROPERTIES LABELS unit TIMEOUT 300)  # two dozen runs of the compiler
endif()
