// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_start.hpp>

namespace maxlat::core {
namespace {

// A few hundred years: nothing that was measured is outside, and no sum overflows.
constexpr double kMost_ns = 4e18;

// Of a file that somebody may have written by hand: nothing where it is no number. In integers: a double has no
// nanoseconds so long after 1970.
std::optional<std::int64_t> start_by(const char* name, const Phase& phase) {
  const auto fact = phase.facts.find(name);
  if (fact == phase.facts.end()) return {};
  const std::string& text = fact->second;
  std::int64_t ns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (error != std::errc{} || end != text.data() + text.size() || ns < 0 || static_cast<double>(ns) > kMost_ns)
    return {};
  return ns;
}

}  // namespace

void set_start(Phase& phase, std::uint64_t start_monotonic_ns) {
  phase.facts[fact::kStartMonotonic_ns] = std::to_string(start_monotonic_ns);
  set_realtime_start(phase, base::clock_ns(CLOCK_REALTIME) - (base::monotonic_ns() - start_monotonic_ns));
}

void set_realtime_start(Phase& phase, std::uint64_t start_realtime_ns) {
  phase.facts[fact::kStartRealtime_ns] = std::to_string(start_realtime_ns);
}

std::optional<std::uint64_t> start_monotonic_ns(const Phase& phase) {
  const auto start_ns = start_by(fact::kStartMonotonic_ns, phase);
  return start_ns ? std::optional(static_cast<std::uint64_t>(*start_ns)) : std::nullopt;
}

std::optional<WallClock> wall_clock(const Phase& phase, double t_ns) {
  const auto start_ns = start_by(fact::kStartRealtime_ns, phase);
  if (!start_ns || std::abs(t_ns) > kMost_ns) return {};
  const std::int64_t ms =
      std::max<std::int64_t>(*start_ns + static_cast<std::int64_t>(std::floor(t_ns)), 0) / 1'000'000;
  const time_t second = ms / 1000;
  struct tm local {};
  if (localtime_r(&second, &local) == nullptr) return {};
  char date[32], zone[32];
  if (strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local) == 0) return {};
  strftime(zone, sizeof zone, "%Z", &local);
  return WallClock{fmt::format("{}.{:03}", date, ms % 1000), zone};
}

}  // namespace maxlat::core
