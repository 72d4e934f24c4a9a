// SPDX-License-Identifier: MIT
#include "throttling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::npt {
namespace {

// Seen on a stock 6.18 with 50 ms: 46 to 50 ms. The upper side leaves room for a tick of 4 ms and a busy host.
constexpr double kShortest = 0.85, kLongest = 1.30;
// Once may be chance, twice with a context switch each is not. A run of less than three periods cannot show two.
constexpr size_t kEnough = 2;
constexpr double kPeriodsToShowTwo = 3;
// What every kernel has had as its default, for boxes that do not let us read theirs (debugfs is for root).
constexpr uint64_t kDefaultPeriodNs = 1'000'000'000, kDefaultStopNs = 50'000'000;

const char* culprit(core::RtThrottling::By by) {
  switch (by) {
    case core::RtThrottling::By::rt_throttling:
      return "RT throttling";
    case core::RtThrottling::By::fair_server:
      return "the scheduler's fair server";
    case core::RtThrottling::By::either:
    case core::RtThrottling::By::nothing:  // not known
      break;
  }
  return "RT throttling or the fair server";
}

core::RtThrottling known(const core::RtThrottling& settings) {
  return settings.known ? settings : core::RtThrottling{settings.by, true, kDefaultPeriodNs, kDefaultStopNs};
}

bool can_be_stopped(core::Policy policy, const core::RtThrottling& settings) {
  return (policy == core::Policy::fifo || policy == core::Policy::round_robin) && settings.stop_ns != 0;
}

}  // namespace

std::optional<std::string> throttled(const ThrottlingEvidence& evidence) {
  const core::RtThrottling settings = known(evidence.settings);
  if (!can_be_stopped(evidence.policy, settings)) return {};
  const auto stop_ns = static_cast<double>(settings.stop_ns);
  const auto& seconds = evidence.second_max_ns;
  const auto stops = static_cast<size_t>(std::count_if(seconds.begin(), seconds.end(), [stop_ns](double max_ns) {
    return max_ns >= kShortest * stop_ns && max_ns <= kLongest * stop_ns;
  }));
  const double period_s = static_cast<double>(settings.period_ns) / 1e9;
  const size_t needed = evidence.duration_s < kPeriodsToShowTwo * period_s ? 1 : kEnough;
  if (stops < needed || evidence.involuntary_switches < stops) return {};
  return fmt::format("{} stopped the loop: in {} of {} s a gap of about {}, with {} involuntary context switches",
                     culprit(settings.by), stops, seconds.size(), core::latency_text(stop_ns),
                     evidence.involuntary_switches);
}

unsigned rest_parts(const core::RtThrottling& read) {
  constexpr uint64_t kSecond_ns = 1'000'000'000, kMostParts = 1000;
  const core::RtThrottling settings = known(read);
  if (settings.stop_ns == 0 || settings.period_ns == 0) return 1;
  return static_cast<unsigned>(std::min((kSecond_ns + settings.period_ns - 1) / settings.period_ns, kMostParts));
}

Rest needed_rest(core::Policy policy, const core::RtThrottling& read, uint64_t duration_ns) {
  constexpr double kTimes = 2, kSecond = 1e9, kMost = 0.5e9;
  const core::RtThrottling settings = known(read);
  const bool short_enough = duration_ns != 0 && duration_ns <= kLongestWithoutRest_ns && rest_parts(settings) == 1;
  if (short_enough || !can_be_stopped(policy, settings)) return {};
  const double share = static_cast<double>(settings.stop_ns) / static_cast<double>(settings.period_ns);
  const auto ns = static_cast<uint64_t>(std::min(kTimes * share * kSecond, kMost));
  return {ns, fmt::format("{} would stop a loop without rest for {} of each {}", culprit(settings.by),
                          core::duration_text(static_cast<double>(settings.stop_ns) / kSecond),
                          core::duration_text(static_cast<double>(settings.period_ns) / kSecond))};
}

}  // namespace maxlat::npt
