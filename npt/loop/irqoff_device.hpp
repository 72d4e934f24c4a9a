// SPDX-License-Identifier: MIT
//
// /dev/maxlat_irqoff, as a measuring thread uses it (irqoff_abi.h is its specification): cli and sti that work, or
// the loop in the kernel.
//
// THREADS: one object a thread, made and destroyed by the thread that measures with it. (The module kills a task whose
// grant another thread closes: it could not be taken away otherwise.)
#pragma once

#include <maxlat/npt/irqoff_abi.h>

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <utility>

namespace maxlat::npt {

// No interrupt waits longer than this; then there is a pause, which is neither sample nor exposure.
inline constexpr uint64_t kInterruptsOffStretch_ns = 10'000'000;

class IrqoffDevice {
 public:
  // ERRORS (Exit::cannot_run): why_no_irqoff().
  static core::Result<IrqoffDevice> open();

  // From now on cli and sti work in the calling thread. REQUIRES: it is bound to one CPU.
  core::Status grant();
  // One piece of the loop on this CPU: 0 or errno.
  int loop(maxlat_irqoff_loop& piece);

 private:
  explicit IrqoffDevice(base::Descriptor device) : device_(std::move(device)) {}
  base::Descriptor device_;
};

// What an errno of open(), GRANT or LOOP means for a user.
core::Error why_no_irqoff(int error);

// For a thread that has a grant. The module takes the grant away when the thread leaves its CPU, as it must when that
// goes offline; then cli and sti would fault, interrupts stay on, and the flag that npt reads says so.
struct InterruptsOff {
#if defined(__x86_64__)
  void turn_off() const {
    if (granted()) __asm__ volatile("cli" ::: "memory");
  }
  // nop: what is pending comes in after it, before the next cli
  void turn_on() const {
    if (granted()) __asm__ volatile("sti; nop" ::: "memory");
  }

 private:
  static bool granted() {  // the I/O privilege level of the processor's flags: bits 12 and 13
    uint64_t flags;
    __asm__ volatile("pushfq; popq %0" : "=r"(flags));
    return (flags >> 12 & 3) == 3;
  }
#else
  void turn_off() const {}  // no grant is ever given here
  void turn_on() const {}
#endif
};

}  // namespace maxlat::npt
