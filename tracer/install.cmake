# The tracer as others use it: find_package(maxlat), maxlat::tracer. Static libraries, headers, a package file.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/maxlat)

set_target_properties(maxlat_base PROPERTIES EXPORT_NAME base)
set_target_properties(maxlat_tracer PROPERTIES EXPORT_NAME tracer)
install(TARGETS maxlat_base maxlat_tracer EXPORT maxlatTargets ARCHIVE COMPONENT tracer)
if(TARGET maxlat_trace)
  install(TARGETS maxlat_trace maxlat_sensors EXPORT maxlatTargets LIBRARY COMPONENT tracer)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/maxlat-trace.pc ${CMAKE_CURRENT_BINARY_DIR}/maxlat-sensors.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT tracer)
endif()
install(EXPORT maxlatTargets NAMESPACE maxlat:: DESTINATION ${package_folder} COMPONENT tracer)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/base/include/maxlat/base DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/maxlat
  COMPONENT tracer)
install(FILES include/maxlat/trace.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/maxlat COMPONENT tracer)
install(DIRECTORY include/maxlat/trace include/maxlat/sensors DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/maxlat COMPONENT tracer)
install(DIRECTORY ring/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/maxlat/ring COMPONENT tracer
  FILES_MATCHING PATTERN *.h PATTERN port_test.h EXCLUDE PATTERN test_event_probe.h EXCLUDE)

write_basic_package_version_file(maxlatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES maxlatConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/maxlatConfigVersion.cmake DESTINATION ${package_folder}
  COMPONENT tracer)
