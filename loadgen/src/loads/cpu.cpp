// SPDX-License-Identifier: MIT
//
// Arithmetic and nothing else: keeps the integer and floating-point units of each CPU busy, so that it neither idles
// nor clocks down, and makes heat.
#include <cmath>
#include <maxlat/loadgen/load_definition.hpp>

namespace maxlat::loadgen {
namespace {

constexpr int kStepsOfABlock = 1 << 20;

core::Status work(WorkerSlot& slot) {
  volatile double sink = 0;  // what is never read would not be computed
  uint64_t bits = 0x9e3779b97f4a7c15u;
  double sum = 1;
  for (;;) {
    for (int i = 0; i < kStepsOfABlock; ++i) {
      bits ^= bits << 13;
      bits ^= bits >> 7;
      bits ^= bits << 17;
      sum = sum * 0.999999 + std::sqrt(static_cast<double>(bits >> 12));
    }
    sink = sink + sum;
    slot.add(1);
  }
}

}  // namespace

extern const LoadDefinition kCpuLoad = {
    .kind = {"cpu", "", "integer and floating-point arithmetic", true},
    .unit = "million steps/s",
    .scale = kStepsOfABlock * 1e-6,
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      return one_worker_per_cpu("cpu", cpus, work);
    },
};

}  // namespace maxlat::loadgen
