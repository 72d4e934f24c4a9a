# The shared library: the C interface, whole, and nothing else of it visible. Its thread-local state is found by an
# offset (trace/thread.hpp), so a program is linked with it, or is started with it; dlopen() finds room for it only in
# the C library's reserve.
add_library(maxlat_trace SHARED c/shared_library.cpp)
add_library(maxlat::trace ALIAS maxlat_trace)
target_link_libraries(maxlat_trace PRIVATE $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,maxlat_tracer>>
  $<BUILD_INTERFACE:maxlat_build_flags> PkgConfig::URCU_BP Threads::Threads)
target_include_directories(maxlat_trace INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(maxlat_trace PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/c/visible.map)
set_target_properties(maxlat_trace PROPERTIES OUTPUT_NAME maxlat-trace EXPORT_NAME trace VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/c/visible.map)
# From the file's own place, so that an installation can be moved, or be another than the one configured (--prefix).
file(RELATIVE_PATH maxlat_from_pkgconfig "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  "${CMAKE_INSTALL_PREFIX}")
configure_file(c/maxlat-trace.pc.in ${CMAKE_CURRENT_BINARY_DIR}/maxlat-trace.pc @ONLY)
