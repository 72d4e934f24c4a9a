// SPDX-License-Identifier: MIT
#include "call_count.hpp"

#include <sys/syscall.h>

namespace maxlat::npt {

CallCount::Cpu& CallCount::of(unsigned cpu) {
  if (cpus_.size() <= cpu) cpus_.resize(cpu + 1);
  return cpus_[cpu];
}

void CallCount::enter(unsigned cpu, int64_t system_call, uint64_t mark, uint64_t number) {
  ++events_;
  if (system_call != SYS_getppid || mark != kMarkOfACall) return;
  Cpu& here = of(cpu);
  if (number <= here.number) in_order_ = false;
  here = {.number = number, .inside = true};
}

void CallCount::exit(unsigned cpu, int64_t system_call) {
  ++events_;
  Cpu& here = of(cpu);
  if (system_call != SYS_getppid || !here.inside) return;
  here.inside = false;
  ++calls_;
}

}  // namespace maxlat::npt
