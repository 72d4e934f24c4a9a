# find_package(maxlat): the target maxlat::tracer. Needs liburcu's development files (Debian: liburcu-dev).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(PkgConfig)
if(NOT TARGET PkgConfig::URCU_BP)
  pkg_check_modules(URCU_BP REQUIRED IMPORTED_TARGET GLOBAL liburcu-bp)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/maxlatTargets.cmake)
