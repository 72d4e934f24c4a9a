// SPDX-License-Identifier: MIT
//
// yield: gives the CPU away and takes it back, as often as the scheduler lets it.
#include <sched.h>

#include <maxlat/loadgen/load_definition.hpp>

namespace maxlat::loadgen {
namespace {

core::Status work(WorkerSlot& slot) {
  for (;;) {
    ::sched_yield();
    slot.add(1);
  }
}

}  // namespace

extern const LoadDefinition kYieldLoad = {
    .kind = {"yield", "", "gives the CPU away and takes it back", true},
    .unit = "yields/s",
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      return one_worker_per_cpu("yield", cpus, work);
    },
};

}  // namespace maxlat::loadgen
