# How a room of the house is built (docs: DESIGN, "The house").
#
#   maxlat_room(npt SOURCES src/loop.cpp ... KNOWS core tracer LINKS Boost::program_options)
#     makes the library maxlat_npt (alias maxlat::npt). KNOWS names the rooms it may include: their public headers are
#     on its include path and no other room's are, so the compiler enforces the arrows. LINKS are private libraries.
#
#   maxlat_unit_tests(npt SOURCES src/loop_test.cpp ... [LINKS ...])
#     makes npt_unit_tests from tests that stand beside what they test; every TEST becomes a ctest entry, label unit.
#
#   maxlat_test(NAME cli_help COMMAND script args LABEL integration [TIMEOUT s] [SERIAL])
#     a test that is a program: exit 0 passes, 77 means "cannot run here" (it must say why), everything else fails.

add_library(maxlat_build_flags INTERFACE)
target_compile_features(maxlat_build_flags INTERFACE cxx_std_20 c_std_11)
target_compile_options(maxlat_build_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
target_compile_definitions(maxlat_build_flags INTERFACE _GNU_SOURCE)
if(MAXLAT_SANITIZE)
  # gcc's -Wmaybe-uninitialized is wrong about instrumented std::variant and std::optional; the plain build has it.
  target_compile_options(maxlat_build_flags INTERFACE -fsanitize=${MAXLAT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(maxlat_build_flags INTERFACE -fsanitize=${MAXLAT_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)
include(GoogleTest)  # at this scope: its discovery reads a variable of the scope that included it

# A compiler cache is used where there is one; nothing depends on it.
find_program(MAXLAT_CCACHE ccache)
if(MAXLAT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${MAXLAT_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MAXLAT_CCACHE})
endif()

function(maxlat_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;KNOWS;LINKS" ${ARGN})
  add_library(maxlat_${name} STATIC ${ROOM_SOURCES})
  add_library(maxlat::${name} ALIAS maxlat_${name})
  target_include_directories(maxlat_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  foreach(room IN LISTS ROOM_KNOWS)
    target_link_libraries(maxlat_${name} PUBLIC maxlat::${room})
  endforeach()
  target_link_libraries(maxlat_${name} PRIVATE $<BUILD_INTERFACE:maxlat_build_flags> ${ROOM_LINKS} Threads::Threads)
endfunction()

function(maxlat_unit_tests room)
  if(NOT MAXLAT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(TESTS "" "" "SOURCES;LINKS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${room}_unit_tests ${TESTS_SOURCES})
  target_include_directories(${room}_unit_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${room}_unit_tests PRIVATE maxlat::${room} maxlat_build_flags ${TESTS_LINKS} GTest::gmock GTest::gtest_main Threads::Threads)
  gtest_discover_tests(${room}_unit_tests TEST_PREFIX ${room}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

function(maxlat_test)
  if(NOT MAXLAT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(T "SERIAL" "NAME;LABEL;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 60)
  endif()
  add_test(NAME ${T_NAME} COMMAND ${T_COMMAND})
  set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77
    RUN_SERIAL ${T_SERIAL} ENVIRONMENT "LC_ALL=C;MAXLAT=$<TARGET_FILE:maxlat>")
endfunction()
