# How a room of the house is built (README, "The house").
#
#   maxlat_room(npt SOURCES src/loop.cpp ... [MEASURING src/loop.cpp ...] [AS_SHIPPED] KNOWS core tracer
#               [LINKS fmt::fmt ...])
#     makes the library maxlat_npt (alias maxlat::npt). KNOWS names the rooms it may include: their public headers are
#     on its include path and no other room's are, so the compiler enforces the arrows. LINKS are private libraries of
#     others; a test (architecture.house) finds a room of ours among them. MEASURING names the files whose code runs
#     while something is measured: with MAXLAT_UNITY, too, each is compiled by itself, so that it is the same code in
#     every build. MAXLAT_LIGHT takes optimisation from all others, but not in a room whose code runs beside what is
#     measured (AS_SHIPPED). A room in parts has one for each: maxlat_room(core/sys ...).
#
#   maxlat_rows(maxlat_loadgen load_rows OF maxlat::loadgen::LoadDefinition IN maxlat/loadgen/load_definition.hpp
#               [MEASURING] ROWS kCpuLoad src/loads/cpu.cpp ...)
#     makes maxlat::loadgen::load_rows(), which returns pointers to these definitions, in this order, and adds their
#     files to the target. So a row is all that has to be told of a new load (docs/where-to-change-what.md). Nothing
#     registers itself when the program starts: a static library would leave out an object that nobody asks for.
#
#   maxlat_unit_tests(npt SOURCES src/loop_test.cpp ... [LINKS ...])
#     makes npt_unit_tests (tests npt.X.Y; of core/sys: core_sys_unit_tests, core.sys.X.Y) from tests that stand beside
#     what they test; every TEST becomes a ctest entry, label unit (with a sanitizer, every suite).
#     The tests are compiled without optimisation, for they are most of a build's seconds (docs/testing.md); AS_SHIPPED
#     keeps the flags of what ships, for tests of code that is inlined into them. ONE_THREAD: no code of the room starts
#     a thread, so its tests are not built for ThreadSanitizer.
#
#   maxlat_fuzz_test(tracer fuzz_trace RUNS 20000 SOURCES ctf/fuzz_trace.cpp ... [INSTRUMENTED src/x.cpp ...])
#     makes a fuzz target of the room and the test tracer.fuzz_trace, label fuzz: libFuzzer with clang, random inputs from
#     tests/support/fuzz_driver.cpp otherwise. INSTRUMENTED are files of the room that clang compiles once more, so that the
#     fuzzer sees which of their branches an input takes. CHANGES: its inputs are changes to an example, so what the code
#     compares is not in them; to watch that took a third of the time.
#
#   maxlat_test(NAME cli_help COMMAND script args LABEL integration [TIMEOUT s] [SERIAL])
#     a test that is a program: exit 0 passes, 77 means "cannot run here" (it must say why), everything else fails.
#     SERIAL: it measures at real-time priority, or has one of the box's tracers to itself. Many tests take a CPU at
#     such a priority for a moment, and two loops on one CPU are no measurement: both say so, as they should.

add_library(maxlat_build_flags INTERFACE)
target_compile_features(maxlat_build_flags INTERFACE cxx_std_20 c_std_11)
# Another compiler's new warning must not keep a user from building: only our own checks make warnings errors.
option(MAXLAT_WARNINGS_AS_ERRORS "Treat a compiler's warnings as errors, as ./check-all does" OFF)
option(MAXLAT_LIGHT "Optimise only what runs while something is measured: for ./validate, whose user waits" OFF)
if(NOT MAXLAT_LIGHT)
  target_compile_options(maxlat_build_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow
    $<$<BOOL:${MAXLAT_WARNINGS_AS_ERRORS}>:-Werror>)
endif()
target_compile_definitions(maxlat_build_flags INTERFACE _GNU_SOURCE)
if(MAXLAT_SANITIZE)
  # gcc's -Wmaybe-uninitialized is wrong about instrumented std::variant and std::optional, and so is gcc 14's
  # -Wfree-nonheap-object; the plain build has them.
  target_compile_options(maxlat_build_flags INTERFACE -fsanitize=${MAXLAT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-free-nonheap-object>)
  target_link_options(maxlat_build_flags INTERFACE -fsanitize=${MAXLAT_SANITIZE})
  if(MAXLAT_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_definitions(maxlat_build_flags INTERFACE __SANITIZE_ADDRESS__=1)  # as gcc has it, which tests ask
  endif()
endif()
# Half of a room's compile time is headers (docs/testing.md). A build from nothing reads them once for many files;
# one that is built again and again, as release is, compiles each file by itself, and so says whether it includes what
# it uses.
option(MAXLAT_UNITY "Compile a room's sources many at a time: for builds from nothing" OFF)
if(MAXLAT_UNITY)
  # A name of one file's may hide another's there, and what a file keeps to itself is not in the file that is compiled.
  target_compile_options(maxlat_build_flags INTERFACE -Wno-shadow
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)
include(GoogleTest)  # at this scope: its discovery reads a variable of the scope that included it

# A compiler cache is used where there is one; nothing depends on it. Paths count from here, so that it may serve a
# checkout in another folder; the sloppiness is what it needs to know the precompiled header of the tests.
find_program(MAXLAT_CCACHE ccache)
if(MAXLAT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${MAXLAT_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

# What every test includes, once a preset instead of once a file. (A program, as the tests are: its objects have their
# flags.)
if(MAXLAT_BUILD_TESTS)
  find_package(GTest REQUIRED)
  # The cache must know what was compiled with it: gcc tells its name, clang keeps the time it was made out of it.
  add_library(maxlat_cheap_flags INTERFACE)  # linked behind maxlat_build_flags, of which it takes something back
  target_compile_options(maxlat_cheap_flags INTERFACE -O0 -g1 $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(MAXLAT_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # A quarter of a test file's time. AddressSanitizer's checks are calls here, in line only in what is tested; and a null
    # pointer ends a test anyway.
    target_compile_options(maxlat_cheap_flags INTERFACE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0"
      -fno-sanitize=null,alignment,vptr)
  endif()
  add_executable(maxlat_test_headers EXCLUDE_FROM_ALL cmake/test_headers.cpp)
  target_link_libraries(maxlat_test_headers PRIVATE maxlat_build_flags maxlat_cheap_flags GTest::gmock Threads::Threads)
  target_precompile_headers(maxlat_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono> <cmath>
    <filesystem> <fstream> <functional> <map> <memory> <optional> <random> <set> <sstream> <string> <string_view>
    <thread> <variant> <vector>)
endif()

# "core/sys" is the target maxlat_core_sys.
function(maxlat_target_of room variable)
  string(REPLACE "/" "_" target ${room})
  set(${variable} ${target} PARENT_SCOPE)
endfunction()

# What a room keeps to itself is in src/, or, where it is too much for one folder, in folders of its own beside it.
function(maxlat_private_folder variable)
  set(${variable} ${CMAKE_CURRENT_SOURCE_DIR} PARENT_SCOPE)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/src)
    set(${variable} ${CMAKE_CURRENT_SOURCE_DIR}/src PARENT_SCOPE)
  endif()
endfunction()

# These files of the target are compiled by themselves, and as what ships.
function(maxlat_measuring target)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(MAXLAT_LIGHT AND ARGN)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O2)  # behind the target's -Og, so this one counts
    set_property(GLOBAL APPEND PROPERTY MAXLAT_MEASURING_ROOMS ${target})
  endif()
endfunction()

# Of an inline function that several files keep, the linker takes the first that it reads. So a program that is built with
# MAXLAT_LIGHT reads the files that measure before all others, and they run their own copies.
function(maxlat_measuring_files_first program)
  get_property(rooms GLOBAL PROPERTY MAXLAT_MEASURING_ROOMS)
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    target_sources(${program} PRIVATE $<FILTER:$<TARGET_OBJECTS:${room}>,EXCLUDE,/Unity/>)
  endforeach()
endfunction()

function(maxlat_room room)
  cmake_parse_arguments(ROOM "AS_SHIPPED" "" "SOURCES;MEASURING;KNOWS;LINKS" ${ARGN})
  maxlat_target_of(${room} name)
  add_library(maxlat_${name} STATIC ${ROOM_SOURCES})
  add_library(maxlat::${name} ALIAS maxlat_${name})
  set_target_properties(maxlat_${name} PROPERTIES UNITY_BUILD ${MAXLAT_UNITY} UNITY_BUILD_BATCH_SIZE 20)
  maxlat_private_folder(private)
  target_include_directories(maxlat_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${private})
  foreach(known IN LISTS ROOM_KNOWS)
    maxlat_target_of(${known} known)
    target_link_libraries(maxlat_${name} PUBLIC maxlat::${known})
  endforeach()
  if(MAXLAT_LIGHT AND NOT ROOM_AS_SHIPPED)
    target_compile_options(maxlat_${name} PRIVATE -Og)
  endif()
  maxlat_measuring(maxlat_${name} ${ROOM_MEASURING})
  target_link_libraries(maxlat_${name} PRIVATE $<BUILD_INTERFACE:maxlat_build_flags> ${ROOM_LINKS} Threads::Threads)
endfunction()

function(maxlat_rows target function)
  cmake_parse_arguments(ROWS "MEASURING" "OF;IN" "ROWS" ${ARGN})
  string(REGEX REPLACE "::[^:]+$" "" namespace ${ROWS_OF})
  string(REGEX REPLACE "^.*::" "" type ${ROWS_OF})
  set(declarations "")
  set(pointers "")
  while(ROWS_ROWS)
    list(POP_FRONT ROWS_ROWS definition file)
    string(APPEND declarations "extern const ${type} ${definition};  // ${file}\n")
    string(APPEND pointers "      &${definition},\n")
    list(APPEND files ${file})
  endwhile()
  list(REMOVE_DUPLICATES files)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_LIST_FILE BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE list_file)
  set(rows_file ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  file(CONFIGURE OUTPUT ${rows_file} @ONLY CONTENT "// Made by CMake from the rows in ${list_file}.
#include <${ROWS_IN}>
#include <vector>

namespace ${namespace} {

${declarations}
std::vector<const ${type}*> ${function}();
std::vector<const ${type}*> ${function}() {
  return {
${pointers}  };
}

}  // namespace ${namespace}
")
  target_sources(${target} PRIVATE ${files} ${rows_file})
  if(ROWS_MEASURING)
    maxlat_measuring(${target} ${files})
  endif()
endfunction()

# The tests of a program of gtest's, which are known when it is built.
function(maxlat_discover_tests tests prefix timeout)
  if(MAXLAT_SANITIZE)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${tests})
    math(EXPR timeout_of_suite "3 * ${timeout}")
    configure_file(${CMAKE_SOURCE_DIR}/cmake/suite_tests.cmake.in ${tests}.cmake @ONLY)
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${tests}.cmake)
  else()
    gtest_discover_tests(${tests} TEST_PREFIX ${prefix}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES LABELS unit
      TIMEOUT ${timeout})
  endif()
endfunction()

function(maxlat_unit_tests room)
  if(NOT MAXLAT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(TESTS "AS_SHIPPED;ONE_THREAD" "" "SOURCES;LINKS" ${ARGN})
  if(TESTS_ONE_THREAD AND MAXLAT_SANITIZE MATCHES thread)
    return()
  endif()
  maxlat_target_of(${room} name)
  string(REPLACE "/" "." prefix ${room})
  set(tests ${name}_unit_tests)
  add_executable(${tests} ${TESTS_SOURCES})
  maxlat_private_folder(private)
  target_include_directories(${tests} PRIVATE ${private} ${CMAKE_SOURCE_DIR}/tests/support/include)
  target_link_libraries(${tests} PRIVATE maxlat::${name} maxlat_build_flags ${TESTS_LINKS} GTest::gmock
    GTest::gtest_main Threads::Threads)
  if(NOT TESTS_AS_SHIPPED)
    target_link_libraries(${tests} PRIVATE maxlat_cheap_flags)
    target_precompile_headers(${tests} REUSE_FROM maxlat_test_headers)
  endif()
  maxlat_discover_tests(${tests} ${prefix} 300)
endfunction()

function(maxlat_fuzz_test room name)
  if(NOT MAXLAT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(F "CHANGES" "RUNS" "SOURCES;INSTRUMENTED;LINKS" ${ARGN})
  maxlat_target_of(${room} target)
  string(REPLACE "/" "." prefix ${room})
  add_executable(${name} ${F_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests/support/include)
  target_link_libraries(${name} PRIVATE maxlat::${target} maxlat_build_flags ${F_LINKS} Threads::Threads)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_sources(${name} PRIVATE ${F_INSTRUMENTED})
    if(F_INSTRUMENTED)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ${MAXLAT_UNITY} UNITY_BUILD_BATCH_SIZE 12)
      set_source_files_properties(${F_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer $<$<BOOL:${F_CHANGES}>:-fno-sanitize-coverage=trace-cmp>)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/fuzz_driver.cpp)
  endif()
  add_test(NAME ${prefix}.${name} COMMAND ${name} -runs=${F_RUNS})
  set_tests_properties(${prefix}.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
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
