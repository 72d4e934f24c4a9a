// SPDX-License-Identifier: MIT
#include "cpu_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace maxlat::npt {

core::Result<std::unique_ptr<CpuSensors>> CpuSensors::publish(unsigned cpu, const base::CounterClock& clock) {
  std::unique_ptr<CpuSensors> made(new CpuSensors(clock));
  const core::Status status =
      sensors::publish_group(&made->group_, made->group_.kBytes, fmt::format("npt-cpu{}", cpu));
  if (!status) return status.error();
  return made;
}

void CpuSensors::show(void* state, std::uint64_t gap, std::uint64_t max) {
  auto& self = *static_cast<CpuSensors*>(state);
  self.group_->longest.set(static_cast<std::int64_t>(self.clock_.to_ns(max)));
  MAXLAT_POST(self.group_->outliers, npt, gap, self.clock_.to_ns(gap), gap);
}

void CpuSensors::segment_ended() {
  maxlat_histogram& gaps = this->gaps();
  const maxlat_u128 squares = static_cast<maxlat_u128>(gaps.sum_sq_high) << 64 | gaps.sum_sq_low;
  moments_ = {std::min(moments_.min, gaps.min), std::max(moments_.max, gaps.max), moments_.sum + gaps.sum,
              moments_.sum_sq + squares};
  // min last: above max, there are no moments
  const maxlat_moments none = MAXLAT_MOMENTS_EMPTY;
  MAXLAT_STORE(&gaps.max, none.max);
  MAXLAT_STORE(&gaps.min, none.min);
  MAXLAT_STORE(&gaps.sum, none.sum);
  MAXLAT_STORE(&gaps.sum_sq_low, 0);
  MAXLAT_STORE(&gaps.sum_sq_high, 0);
}

void CpuSensors::run_ended() {
  maxlat_histogram_add_moments(&gaps(), &moments_);
  moments_ = MAXLAT_MOMENTS_EMPTY;
}

}  // namespace maxlat::npt
