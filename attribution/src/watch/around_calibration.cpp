// SPDX-License-Identifier: MIT
#include "around_calibration.hpp"

#include <algorithm>
#include <iterator>

namespace maxlat::attribution {
namespace {

using core::TimeClass;

bool is_of_a_lone_tick(const Accounting& accounting) {
  uint64_t ticks = 0;
  for (const Part& part : accounting.parts) {
    const bool is_of_tick = part.kind == TimeClass::local_timer || part.kind == TimeClass::hrtimer;
    if (!is_of_tick && part.kind != TimeClass::around && part.kind != TimeClass::nothing_seen) return false;
    if (part.kind == TimeClass::local_timer) ticks += part.count;
  }
  return ticks == 1;
}

// 0: there are too few.
uint64_t quantile_of(std::vector<uint64_t> lengths, size_t percent) {
  if (lengths.size() < AroundCalibration::kFewest) return 0;
  const auto place = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * percent / 100);
  std::nth_element(lengths.begin(), place, lengths.end());
  return *place;
}

}  // namespace

void AroundCalibration::see(const Accounting& accounting) {
  const bool is_of_tick = is_of_a_lone_tick(accounting);
  for (const Way& way : accounting.ways) {
    const bool is_in = way.from == accounting.from, is_out = way.to == accounting.to;
    if (way.is_of_switch)
      keep(way.to - way.from, is_out ? beside_switch_.out : beside_switch_.in);
    else if (is_of_tick && is_in != is_out)
      keep(way.to - way.from, is_in ? beside_tick_.in : beside_tick_.out);
  }
}

void AroundCalibration::Ways::add(const Ways& other) {
  in.insert(in.end(), other.in.begin(), other.in.end());
  out.insert(out.end(), other.out.begin(), other.out.end());
}

void AroundCalibration::add(const AroundCalibration& other) {
  beside_tick_.add(other.beside_tick_);
  beside_switch_.add(other.beside_switch_);
}

std::optional<uint64_t> AroundCalibration::Ways::limit(size_t percent, uint64_t times) const {
  if (out.size() < kFewest) return {};
  return times * std::max(quantile_of(in, percent), quantile_of(out, percent));
}

std::optional<uint64_t> AroundCalibration::at_most() const {
  return beside_tick_.limit(50, kTimesTheMedian);
}

std::optional<uint64_t> AroundCalibration::switch_at_most() const {
  return beside_switch_.limit(90, kTimesTheNinthDecile);
}

AroundLimit around_limit(const AroundCalibration& around, double switch_at_most_ns, double ticks_per_ns) {
  const auto limit = [&](std::optional<uint64_t> ticks, size_t ways, double least_ns, double most_ns) -> LimitOfWays {
    if (!ticks || least_ns == most_ns) return {.at_most_ns = most_ns, .ways = ways};
    const double ns = static_cast<double>(*ticks) / ticks_per_ns;
    return {.at_most_ns = std::clamp(ns, least_ns, most_ns), .is_calibrated = true, .ways = ways};
  };
  return {.of_interrupt = limit(around.at_most(), around.ways(), 0, kAroundAtMost_ns),
          .of_switch = limit(around.switch_at_most(), around.switch_ways(), kAroundAtMost_ns, switch_at_most_ns)};
}

LongestWays longest_ways(const AroundLimit& limit, double ticks_per_ns) {
  const auto ticks = [&](double ns) { return static_cast<uint64_t>(ns * ticks_per_ns); };
  return {.of_interrupt = ticks(limit.of_interrupt.at_most_ns), .of_switch = ticks(limit.of_switch.at_most_ns)};
}

}  // namespace maxlat::attribution
