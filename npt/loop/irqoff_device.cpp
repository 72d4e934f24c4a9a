// SPDX-License-Identifier: MIT
#include "irqoff_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace maxlat::npt {

core::Error why_no_irqoff(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return core::cannot_run("the module maxlat_irqoff is not loaded",
                              "kernel/README.md tells how to build and load it");
    case EACCES:
    case EPERM:
      return core::cannot_run("maxlat_irqoff does not permit it",
                              "it needs root (CAP_SYS_RAWIO) and a kernel without lockdown");
    case EBUSY:
      return core::cannot_run("maxlat_irqoff has no CPU left that could watch this one",
                              "leave one CPU out, or use --kernel-loop");
    case EOPNOTSUPP:
      return core::cannot_run("maxlat_irqoff cannot do it on this processor", "use --kernel-loop");
    case EPROTO:
      return core::cannot_run("the module maxlat_irqoff that is loaded is of another version",
                              "build and load the module of this maxlat's sources (kernel/README.md)");
    default: {
      core::Error other = core::system_error("maxlat_irqoff", error);
      other.exit_status = core::Exit::cannot_run;
      return other;
    }
  }
}

core::Result<IrqoffDevice> IrqoffDevice::open() {
  base::Descriptor device(::open(MAXLAT_IRQOFF_DEVICE, O_RDWR | O_CLOEXEC));
  if (!device) return why_no_irqoff(errno);
  uint32_t version = 0;
  if (::ioctl(device.number(), MAXLAT_IRQOFF_IOC_VERSION, &version) != 0 || version != MAXLAT_IRQOFF_ABI_VERSION)
    return why_no_irqoff(EPROTO);
  return IrqoffDevice(std::move(device));
}

core::Status IrqoffDevice::grant() {
  // Only a thread that hangs ever meets this limit: the longest there is, so that a stalled machine does not.
  const maxlat_irqoff_grant request{sizeof(maxlat_irqoff_grant), 0, MAXLAT_IRQOFF_MAX_LIMIT_NS};
  if (::ioctl(device_.number(), MAXLAT_IRQOFF_IOC_GRANT, &request) != 0) return why_no_irqoff(errno);
  return {};
}

int IrqoffDevice::loop(maxlat_irqoff_loop& piece) {
  return ::ioctl(device_.number(), MAXLAT_IRQOFF_IOC_LOOP, &piece) == 0 ? 0 : errno;
}

}  // namespace maxlat::npt
