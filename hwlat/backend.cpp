// SPDX-License-Identifier: MIT
#include "backend.hpp"

#include <algorithm>

namespace maxlat::hwlat {

const char* to_string(SamplingMode mode) {
  switch (mode) {
    case SamplingMode::per_cpu:
      return "per-cpu";
    case SamplingMode::round_robin:
      return "round-robin";
    case SamplingMode::stop_machine:
      return "stop-machine";
  }
  return "";
}

Sampling sampling_of(const Settings& settings, const Backend& backend) {
  const Sampling fallback = backend.default_sampling();
  if (settings.window_ns == 0 && settings.width_ns == 0) return fallback;
  const uint64_t window_ns = settings.window_ns == 0 ? kFallbackWindow_ns : settings.window_ns;
  if (settings.width_ns != 0) return {window_ns, settings.width_ns};
  const double share = static_cast<double>(fallback.width_ns) / static_cast<double>(fallback.window_ns);
  return {window_ns, std::min(static_cast<uint64_t>(share * static_cast<double>(window_ns)), uint64_t{1'000'000'000})};
}

}  // namespace maxlat::hwlat
