// SPDX-License-Identifier: MIT
#include "module_device.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/lockdown.hpp>
#include <utility>
#include <vector>

namespace maxlat::hwlat {

namespace {

constexpr const char* kHowToGetIt = "kernel/README.md tells how to build and load it; --load FILE loads it for one run";

class KernelDevice : public ModuleDevice {
 public:
  explicit KernelDevice(base::Descriptor device) : device_(std::move(device)) {}

  int info(maxlat_hwlat_info& info) override { return call(MAXLAT_HWLAT_IOC_INFO, &info); }
  int configure(const maxlat_hwlat_config& config) override {
    maxlat_hwlat_config copy = config;
    return call(MAXLAT_HWLAT_IOC_CONFIGURE, &copy);
  }
  int start() override { return call(MAXLAT_HWLAT_IOC_START, nullptr); }
  int stop() override { return call(MAXLAT_HWLAT_IOC_STOP, nullptr); }
  int status(maxlat_hwlat_status& status) override { return call(MAXLAT_HWLAT_IOC_STATUS, &status); }

  const std::byte* map(unsigned cpu, size_t region_bytes) override {
    const auto offset = static_cast<off_t>(cpu * region_bytes);
    void* const region = ::mmap(nullptr, region_bytes, PROT_READ, MAP_SHARED, device_.number(), offset);
    if (region == MAP_FAILED) return nullptr;
    regions_.emplace_back(region, region_bytes);
    return static_cast<const std::byte*>(region);
  }

 private:
  int call(unsigned long request, void* argument) {
    return ::ioctl(device_.number(), request, argument) == 0 ? 0 : errno;
  }

  base::Descriptor device_;
  std::vector<base::Mapping> regions_;  // unmapped first
};

}  // namespace

core::Error why_not_opened(int error, const std::string& lockdown) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      if (!lockdown.empty()) {
        return {"the module maxlat_hwlat is not loaded, and this kernel is locked down (" + lockdown + ")",
                "under Secure Boot a module must be signed with a key that the machine knows (mokutil --import)",
                core::Exit::cannot_run};
      }
      return {"the module maxlat_hwlat is not loaded", kHowToGetIt, core::Exit::cannot_run};
    case EACCES:
    case EPERM:
      return {"the module maxlat_hwlat may be used by root only (CAP_SYS_RAWIO)", "run it as root",
              core::Exit::cannot_run};
    case EBUSY:
      return {"the module maxlat_hwlat is in use: it has one owner at a time",
              "another maxlat hwlat runs, or debugfs maxlat_hwlat/enable is 1", core::Exit::cannot_run};
    default: {
      core::Error other = core::system_error("cannot open " MAXLAT_HWLAT_DEVICE, error);
      other.exit_status = core::Exit::cannot_run;
      return other;
    }
  }
}

core::Result<std::unique_ptr<ModuleDevice>> open_module_device(const std::string& root) {
  const std::string path = (root == "/" ? "" : root) + MAXLAT_HWLAT_DEVICE;
  base::Descriptor device(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const int error = errno;  // before anything else sets it
  if (!device) return why_not_opened(error, core::lockdown_in_force(root));
  return std::unique_ptr<ModuleDevice>(std::make_unique<KernelDevice>(std::move(device)));
}

}  // namespace maxlat::hwlat
