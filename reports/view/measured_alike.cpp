// SPDX-License-Identifier: MIT
#include "measured_alike.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <maxlat/core/machine/machine_difference.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/reports/gate.hpp>

namespace maxlat::reports {
namespace {

std::string cpus_text(const core::Phase& phase) {
  core::CpuList cpus;
  for (const core::CpuResult& cpu : phase.per_cpu) cpus.push_back(cpu.cpu);
  return core::to_string(cpus);
}

std::string loads_text(const core::Phase& phase) {
  std::string text;
  for (const core::LoadResult& load : phase.load) text += (text.empty() ? "" : ", ") + load.name;
  return text.empty() ? "no load" : text;
}

std::string fact_text(const core::Phase& phase, const char* name) {
  const auto found = phase.facts.find(name);
  return found == phase.facts.end() ? "" : found->second;
}

// Recording them makes each interrupt longer. Why they were not recorded makes no difference.
std::string kernel_events_text(const core::Phase& phase) {
  return fact_text(phase, core::fact::kKernelEvents).starts_with("recorded") ? "recorded" : "";
}

// Of the threads of a timer, as far as the meter tells: the timer, its interval, how they share it.
std::string timer_text(const core::Phase& phase) {
  std::string text = fact_text(phase, "timer");
  if (const std::string interval = fact_text(phase, core::fact::kInterval); !interval.empty())
    text += (text.empty() ? "every " : " every ") + interval;
  if (const std::string due = fact_text(phase, "threads are due"); !due.empty()) text += ", " + due;
  return text;
}

// Who measured, without the version: nothing where the kind tells it.
std::string meter_text(const core::Phase& phase) {
  std::string text = fact_text(phase, core::fact::kMeter);
  if (const size_t last = text.rfind(' '); last != text.npos && text.find_first_of("0123456789", last) == last + 1)
    text.erase(last);
  return text == phase.kind ? "" : text;
}

// Below it the meter tells nothing, so that a quiet run's maximum is the threshold itself.
std::string threshold_text(const core::Phase& phase) {
  if (phase.facts.contains(core::fact::kBelowThreshold)) return fact_text(phase, core::fact::kThreshold);
  return fact_text(phase, core::fact::kOnlyAbove);
}

// What makes two measurements the same, by name.
std::array<std::pair<const char*, std::string>, 11> ways_of(const core::Phase& phase) {
  return {{{"kind", phase.kind},
           {"meter", meter_text(phase)},
           {"arm", phase.arm},
           {"CPUs", cpus_text(phase)},
           {"loads", loads_text(phase)},
           {"back end", fact_text(phase, core::fact::kBackEnd)},
           {"threshold", threshold_text(phase)},
           {"policy", fact_text(phase, "policy")},
           {"timer", timer_text(phase)},
           {"bound", fact_text(phase, core::fact::kBound)},
           {"kernel events", kernel_events_text(phase)}}};
}

}  // namespace

std::optional<std::string> measured_otherwise(const core::Phase& phase, const core::Phase& baseline) {
  const auto ways = ways_of(phase), before = ways_of(baseline);
  const auto told = [](const std::string& way) { return way.empty() ? "none told" : '"' + way + '"'; };
  for (size_t i = 0; i < ways.size(); ++i)
    if (ways[i].second != before[i].second)
      return fmt::format("{}: {}, the baseline's {}", ways[i].first, told(ways[i].second), told(before[i].second));
  return std::nullopt;
}

std::string how_measured(const core::Phase& phase) {
  std::string text;
  for (const auto& [name, value] : ways_of(phase))
    if (!value.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, value);
  return text;
}

bool tells_upper_bound(const std::string& how_measured) {
  return how_measured.find(fmt::format("; {}: ", core::fact::kBound)) != std::string::npos;  // the kind comes first
}

bool watched_alike(const core::Phase& one, const core::Phase& other) {
  return std::min(one.exposure_s, other.exposure_s) > 0 && core::watched_alike(one.exposure_s, other.exposure_s);
}

std::optional<std::string> maxima_apart_because(const std::vector<const core::Phase*>& phases) {
  const auto by_time = [](const core::Phase* one, const core::Phase* other) {
    return one->exposure_s < other->exposure_s;
  };
  const auto [least, most] = std::minmax_element(phases.begin(), phases.end(), by_time);
  if (watched_alike(**least, **most)) return std::nullopt;
  if (!((*least)->exposure_s > 0)) return "the time watched is not known: maxima grow with it";
  return fmt::format("watched {:.4g} s and {:.4g} s: maxima of such times do not compare", (*least)->exposure_s,
                     (*most)->exposure_s);
}

std::optional<std::string> no_repeats_because(const std::vector<const core::RunResult*>& runs) {
  const core::RunResult* first = nullptr;
  for (const core::RunResult* run : runs) {
    if (run->machine.empty()) continue;
    if (first == nullptr) first = run;
    for (const auto& difference : core::machine_differences(run->machine, first->machine))
      if (difference.group == "kernel" ||
          std::find(kMustBeTheSame.begin(), kMustBeTheSame.end(), difference.group) != kMustBeTheSame.end())
        return fmt::format("run {} is no repeat of run {}: {}", run->id, first->id, core::to_string(difference));
  }
  return std::nullopt;
}

}  // namespace maxlat::reports
