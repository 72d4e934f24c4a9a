// SPDX-License-Identifier: MIT
//
// /dev/maxlat_hwlat as the back end uses it (module_abi.h is its specification). A seam: the tests put a device of
// paper behind it.
#pragma once

#include <maxlat/hwlat/module_abi.h>

#include <cstddef>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <string>

namespace maxlat::hwlat {

class ModuleDevice {
 public:
  virtual ~ModuleDevice() = default;
  // Each of them: 0, or the errno of the ioctl.
  virtual int info(maxlat_hwlat_info& info) = 0;
  virtual int configure(const maxlat_hwlat_config& config) = 0;
  virtual int start() = 0;
  virtual int stop() = 0;
  virtual int status(maxlat_hwlat_status& status) = 0;
  // One CPU's region, for reading, for as long as this object lives; null with errno. REQUIRES: configured with it.
  virtual const std::byte* map(unsigned cpu, size_t region_bytes) = 0;
};

// Opens the device of the module that is loaded. ERRORS (Exit::cannot_run): why_not_opened(). `root` is "/", a folder
// in tests.
core::Result<std::unique_ptr<ModuleDevice>> open_module_device(const std::string& root = "/");

// What an error of open() means for a user. `lockdown` as core::lockdown_in_force() tells it.
core::Error why_not_opened(int error, const std::string& lockdown);

}  // namespace maxlat::hwlat
