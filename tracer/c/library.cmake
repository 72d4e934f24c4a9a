# The shared libraries: the C interfaces, and nothing else of them visible.
#
#   maxlat-trace    the tracer, whole. Its thread-local state is found by an offset (trace/thread.hpp), so a program is
#                   linked with it, or is started with it; dlopen() finds room for it only in the C library's reserve.
#   maxlat-sensors  the monitors of sensors alone, which dlopen() loads at any time.

# From the file's own place, so that an installation can be moved, or be another than the one configured (--prefix).
file(RELATIVE_PATH maxlat_from_pkgconfig "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  "${CMAKE_INSTALL_PREFIX}")

# maxlat_NAME is lib/libmaxlat-NAME.so, with maxlat-NAME.pc.
function(maxlat_c_library name about)
  set(library maxlat-${name})
  set(visible ${CMAKE_CURRENT_SOURCE_DIR}/c/${name}_visible.map)
  add_library(maxlat_${name} SHARED c/shared_library.cpp)
  add_library(maxlat::${name} ALIAS maxlat_${name})
  target_link_libraries(maxlat_${name} PRIVATE $<BUILD_INTERFACE:maxlat_build_flags> PkgConfig::URCU_BP
    Threads::Threads)
  target_include_directories(maxlat_${name} INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_options(maxlat_${name} PRIVATE -Wl,--version-script=${visible})
  set_target_properties(maxlat_${name} PROPERTIES OUTPUT_NAME ${library} EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${visible})
  configure_file(c/library.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc @ONLY)
endfunction()

maxlat_c_library(trace "Embedded tracer with a bounded worst case, the C interface (maxlat/trace.h)")
target_link_libraries(maxlat_trace PRIVATE $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,maxlat_tracer>>)
maxlat_c_library(sensors "Sensors of running programs, the C interface of monitors (maxlat/sensors/monitor.h)")
target_link_libraries(maxlat_sensors PRIVATE $<BUILD_INTERFACE:maxlat_tracer>)
# A name of each file that it needs.
target_link_options(maxlat_sensors PRIVATE -Wl,--undefined=maxlat_monitor_open,--undefined=maxlat_monitor_events_open)
