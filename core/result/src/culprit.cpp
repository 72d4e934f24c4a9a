// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/culprit.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/late_wakeup.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <string_view>

namespace maxlat::core {
namespace {

constexpr std::string_view kNotRecorded = "not recorded: ";
constexpr const char* kNobody = "nobody had most of it";
// A wake-up by the kernel's events is longer than by the program's own clock. One that is shorter by more than this is
// another: the largest came while events were lost.
constexpr double kShorterAtMost_ns = 5000;

template <class Sample>
const Sample* largest_of(const std::vector<Sample>& samples) {
  const auto largest = std::max_element(samples.begin(), samples.end(),
                                        [](const Sample& a, const Sample& b) { return a.latency_ns < b.latency_ns; });
  return largest == samples.end() ? nullptr : &*largest;
}

std::string words(const AccountedTime* culprit) {
  return culprit == nullptr ? kNobody : fmt::format("{} {}", name_of(*culprit), latency_text(culprit->ns));
}

}  // namespace

std::string culprit_words(const Phase& phase) {
  const auto worst = std::max_element(phase.per_cpu.begin(), phase.per_cpu.end(),
                                      [](const CpuResult& a, const CpuResult& b) { return a.max_ns < b.max_ns; });
  if (worst == phase.per_cpu.end()) return {};
  const Outlier* const outlier = largest_of(worst->outliers);
  if (outlier != nullptr && !outlier->accounting.empty()) return words(culprit_of(*outlier));
  for (const CpuInterference& of_cpu : phase.interference) {
    const LateWakeup* const wakeup = of_cpu.cpu == worst->cpu ? largest_of(of_cpu.wakeups) : nullptr;
    if (wakeup == nullptr || wakeup->latency_ns < worst->max_ns - kShorterAtMost_ns) continue;
    return fmt::format("{} of {} by the kernel's events", words(culprit_of(*wakeup)), latency_text(wakeup->latency_ns));
  }
  return {};
}

std::string not_watched_because(const Phase& phase) {
  const auto told = phase.facts.find(fact::kKernelEvents);
  if (told == phase.facts.end() || !told->second.starts_with(kNotRecorded)) return {};
  return told->second.substr(kNotRecorded.size());
}

}  // namespace maxlat::core
