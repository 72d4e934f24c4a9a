// SPDX-License-Identifier: MIT
#include "exceedances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/exceedance.hpp>
#include <maxlat/core/stats/sample_dependence.hpp>

#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

constexpr double kWorthSaying = 1.5;

// Some are an event at least.
std::uint64_t events_in(const Exceedances& above) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(above.samples) / above.for_one));
}

}  // namespace

double Exceedances::at_most() const {
  return samples == 0 ? kRuleOfThree : for_one * core::events_below(events_in(*this), kRuleOfThreeConfidence);
}

double Exceedances::share_at_most() const {
  const auto tries = static_cast<std::uint64_t>(std::floor(static_cast<double>(of) / for_one));
  return core::share_below(events_in(*this), std::max(events_in(*this), tries), kRuleOfThreeConfidence);
}

std::string Exceedances::together_text() const {
  return for_one < kWorthSaying ? "" : fmt::format(", {:.3g} of which tell as much as one", for_one);
}

Exceedances exceedances_of(const core::CpuResult& cpu, double limit_ns) {
  Exceedances above{.samples = core::samples_above(cpu, limit_ns), .of = cpu.samples};
  if (above.samples == 0) return above;
  const double beyond_ns = std::nextafter(limit_ns, INFINITY);  // a bin that ends at the limit is not above it
  above.for_one = core::dependence_beyond(cpu, {&cpu, 1}, beyond_ns).samples_for_one;
  return above;
}

}  // namespace maxlat::reports
