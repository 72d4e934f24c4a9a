// SPDX-License-Identifier: MIT
#include "cpu_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace maxlat::npt {
namespace {

// Of the gaps: the raw clock counts nanoseconds.
sensors::Unit unit_of(const base::CounterClock& clock) {
  if (clock.source == base::RateSource::monotonic_raw) return "ns";
  return sensors::Unit::of(fmt::format("ticks:{:.0f}", clock.ticks_per_ns * 1e6));
}

}  // namespace

CpuSensors::CpuSensors(const base::CounterClock& clock) : clock_(clock), group_(unit_of(clock)) {}

core::Result<std::unique_ptr<CpuSensors>> CpuSensors::publish(unsigned cpu, const base::CounterClock& clock) {
  std::unique_ptr<CpuSensors> made(new CpuSensors(clock));
  if (const core::Status status = made->group_.publish(fmt::format("npt-cpu{}", cpu)); !status) return status.error();
  return made;
}

void CpuSensors::show(void* state, std::uint64_t gap, std::uint64_t max) {
  auto& self = *static_cast<CpuSensors*>(state);
  self.group_->longest.set(static_cast<std::int64_t>(self.clock_.to_ns(max)));
  MAXLAT_POST(self.group_->outliers, npt, gap, self.clock_.to_ns(gap));
}

void CpuSensors::segment_ended() {
  maxlat_histogram& gaps = this->gaps();
  const maxlat_u128 squares = static_cast<maxlat_u128>(gaps.sum_sq_high) << 64 | gaps.sum_sq_low;
  moments_ = {std::min(moments_.min, gaps.min), std::max(moments_.max, gaps.max), moments_.sum + gaps.sum,
              moments_.sum_sq + squares};
  put(MAXLAT_MOMENTS_EMPTY);
}

void CpuSensors::run_ended() {
  put(moments_);
}

// A head whose smallest value is above its largest has no moments. So the smallest one goes first, and comes last.
void CpuSensors::put(const maxlat_moments& moments) {
  maxlat_histogram& gaps = this->gaps();
  MAXLAT_STORE(&gaps.min, ~0ull);
  MAXLAT_STORE(&gaps.max, moments.max);
  MAXLAT_STORE(&gaps.sum, moments.sum);
  MAXLAT_STORE(&gaps.sum_sq_low, static_cast<std::uint64_t>(moments.sum_sq));
  MAXLAT_STORE(&gaps.sum_sq_high, static_cast<std::uint64_t>(moments.sum_sq >> 64));
  MAXLAT_STORE(&gaps.min, moments.min);
}

}  // namespace maxlat::npt
