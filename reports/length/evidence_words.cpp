// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "evidence.hpp"

namespace maxlat::reports {
namespace {

// Lengths of runs are read by people who wait for them: minutes are fine enough from an hour on, hours from a day on;
// always rounded up.
std::string length_text(double seconds) {
  if (!(seconds < 1e12)) return "more than 30 000 years";  // of a run that hardly watched
  const double unit = seconds >= 86'400 ? 3600 : seconds >= 3600 ? 60 : 1;
  return core::duration_text(std::ceil(seconds / unit) * unit);
}

std::string line(const std::string& text) {
  return core::wrapped(text, core::kScreenWidth, "  ", "    ");
}

std::string range_text(double low, double high, double factor) {
  return fmt::format("{:.3g} to {:.3g}", low * factor, high * factor);
}

std::string count_lines(const Evidence& evidence, const WantedRate& wanted) {
  const std::string limit = core::latency_text(evidence.limit_ns);
  std::string text = line(fmt::format(
      "above {}{}: {} of {}, in {} of CPU time", limit, evidence.limit_ns == evidence.max_ns ? " (the maximum)" : "",
      core::counted(evidence.samples_above, "sample"), evidence.samples, core::duration_text(evidence.exposure_s)));
  if (evidence.steps > 0 && evidence.samples_above > 0)
    text += line(fmt::format("in {} of {} of {}{}", evidence.steps_above, core::counted(evidence.steps, "step"),
                             core::duration_text(evidence.step_s),
                             evidence.bursts ? ": they come in bursts, so these steps are what is counted" : ""));
  const double per_time = wanted.time_s / evidence.exposure_s;
  text += line(fmt::format("so in {}: fewer than {:.3g} are expected at {}; {} interval {}",
                           core::duration_text(wanted.time_s), evidence.events_below * per_time,
                           percent_of(wanted.confidence), percent_of(wanted.confidence),
                           range_text(evidence.events_interval.low, evidence.events_interval.high, per_time)));
  text += line(fmt::format("and fewer than one in {:.2g} samples", 1 / evidence.share_below));
  if (evidence.cpus < 2) return text;
  const double of_each_s = evidence.exposure_s / static_cast<double>(evidence.cpus);
  return text + line(fmt::format("{} CPUs are taken as independent: what stops all of them at once was watched for {}",
                                 evidence.cpus, core::duration_text(of_each_s)));
}

// CPUs that are watched at once divide the time, and a meter that rests takes more of it than it watches.
std::string wall_time_text(const Evidence& evidence, double exposure_s) {
  if (!(evidence.measuring_s > 0)) return {};
  const double cpus_watched = evidence.exposure_s / evidence.measuring_s;
  const double share = cpus_watched / static_cast<double>(evidence.cpus);
  constexpr double kAllTheTime = 0.995;
  return fmt::format(" ({} with {}{})", length_text(exposure_s / cpus_watched), core::counted(evidence.cpus, "CPU"),
                     share < kAllTheTime ? fmt::format(", watched for {:.3g} % of the time", 100 * share) : "");
}

std::string set_up_line(const Evidence& evidence) {
  constexpr double kWorthSaying = 1.1;
  if (!(evidence.measuring_s > 0) || evidence.duration_s < kWorthSaying * evidence.measuring_s) return {};
  return line(fmt::format("this phase took {} for {} of measuring: to begin and to end takes no longer in a longer run",
                          core::duration_text(evidence.duration_s), core::duration_text(evidence.measuring_s)));
}

std::string answer_lines(const Evidence& evidence, const WantedRate& wanted) {
  const char* const answers[] = {"shown", "not shown", "ruled out"};
  std::string claim = to_string(wanted);
  claim.front() = 'F';
  std::string text = line(fmt::format("{}, at {}: {} by this run.", claim, percent_of(wanted.confidence),
                                      answers[static_cast<int>(evidence.answer)]));
  if (!evidence.further)
    return text + line(evidence.events > 0
                           ? "No further run is likely to show it: exceedances come too often."
                           : "No further run is likely to show it: the tail leads above the limit so often.");
  const core::PlannedRun& run = *evidence.further;
  std::string plan = fmt::format("A further run of this kind shows it by itself if it watches for {} of CPU time",
                                 length_text(run.time));
  plan += wall_time_text(evidence, run.time);
  plan += run.allowed == 0 ? " without an exceedance"
                           : fmt::format(" with at most {}", core::counted(run.allowed, "exceedance"));
  if (evidence.likely_per_s)
    plan += fmt::format("; at the rate {} it is given that in {:.0f} of 100 runs",
                        evidence.events > 0 ? "seen here" : "that the tail leads to", 100 * run.chance);
  return text + line(plan + ".") + set_up_line(evidence);
}

// "at p50, p90: nearly every step of the time line holds such samples", a line for each reason.
std::string assumed_lines(const std::vector<QuantileRow>& rows) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with their quantiles
  for (const QuantileRow& row : rows) {
    const std::string& because = row.dependence.assumed_because;
    if (because.empty()) continue;
    const auto known =
        std::find_if(reasons.begin(), reasons.end(), [&](const auto& one) { return one.first == because; });
    if (known == reasons.end())
      reasons.emplace_back(because, row.label);
    else
      known->second += std::string(", ") + row.label;
  }
  std::string text;
  for (const auto& [because, labels] : reasons)
    text += line(
        fmt::format("taken as independent at {}: {}; where they are not, the interval is too narrow", labels, because));
  return text;
}

std::string quantile_lines(const Evidence& evidence, const WantedRate& wanted) {
  if (evidence.quantiles.empty()) return "";
  core::TextTable table({"quantile", "#observed", "#samples for one", percent_of(wanted.confidence) + " interval"});
  bool by_blocks = false;
  for (const QuantileRow& row : evidence.quantiles) {
    const std::string from = core::latency_text(row.interval.low_ns);
    const bool assumed = !row.dependence.assumed_because.empty();
    by_blocks |= !assumed;
    table.row({row.label, row.observed_ns ? core::latency_text(*row.observed_ns) : "-",
               assumed ? "-" : fmt::format("{:.3g}", row.dependence.samples_for_one),
               row.interval.high_ns ? fmt::format("{} to {}", from, core::latency_text(*row.interval.high_ns))
                                    : fmt::format("from {}; not enough samples for an upper end: {} of {}", from,
                                                  evidence.samples, row.samples_needed)});
  }
  std::string text = table.text() + line("intervals hold whatever the distribution is");
  if (by_blocks)
    text += line(
        "samples for one: so many samples beyond it, which depend on one another, count as one independent sample; by "
        "a block bootstrap over the steps of the time line");
  return text + assumed_lines(evidence.quantiles);
}

std::string change_lines(const Evidence& evidence) {
  std::string text;
  for (const Evidence::Change& change : evidence.changes)
    text += line(fmt::format("conditions changed at {}: median of the steps' maxima {} before, {} after",
                             core::duration_text(change.at_s), core::latency_text(change.before_ns),
                             core::latency_text(change.after_ns)));
  return text;
}

std::string tail_lines(const Evidence& evidence, const WantedRate& wanted) {
  std::string text;
  const std::string how_often =
      fmt::format("{} in {} of CPU time", wanted.events == 1 ? "once" : fmt::format("{:.6g} times", wanted.events),
                  core::duration_text(wanted.time_s));
  if (evidence.level) {
    text += line(fmt::format(
        "tail: {} is exceeded {} (95 % interval {} to {})", core::latency_text(evidence.level->level_ns), how_often,
        core::latency_text(evidence.level->interval_ns.low), core::latency_text(evidence.level->interval_ns.high)));
    text += line(fmt::format("of {} maxima above {}: shape {:.2f}, scale {}", evidence.tail.excesses_ns.size(),
                             core::latency_text(evidence.tail.threshold_ns), evidence.tail.tail.shape,
                             core::latency_text(evidence.tail.tail.scale)));
    if (const auto& blocks = evidence.level->blocks)
      text += line(fmt::format("the maxima of {} blocks lead to {} ({} to {})", blocks->blocks,
                               core::latency_text(blocks->level), core::latency_text(blocks->interval.low),
                               core::latency_text(blocks->interval.high)));
  } else {
    text += line("tail: no extrapolation. " + evidence.no_level);
  }
  std::string checks;
  for (const core::TailCheck& check : evidence.tail.checks)
    checks += fmt::format("{}{} {} (p {:.2g})", checks.empty() ? "" : ", ", check.name,
                          check.holds() ? "holds" : "FAILS", check.p);
  return checks.empty() ? text : text + line("checks: " + checks);
}

}  // namespace

std::string percent_of(double confidence) {
  return fmt::format("{:.6g} %", 100 * confidence);
}

std::string to_string(const WantedRate& wanted) {
  return fmt::format("fewer than {:.6g} exceedance{} in {}", wanted.events, wanted.events == 1 ? "" : "s",
                     core::duration_text(wanted.time_s));
}

std::string evidence_text(const Evidence& evidence, const WantedRate& wanted) {
  return fmt::format("{}: {} watched by {}, maximum {}\n", core::printable(evidence.phase),
                     core::duration_text(evidence.exposure_s), core::counted(evidence.cpus, "CPU"),
                     core::latency_text(evidence.max_ns)) +
         count_lines(evidence, wanted) + answer_lines(evidence, wanted) + quantile_lines(evidence, wanted) +
         tail_lines(evidence, wanted) + change_lines(evidence);
}

std::string plan_text(const WantedRate& wanted, std::uint64_t least_allowed, std::uint64_t most_allowed) {
  core::TextTable table({"#exceedances allowed", "CPU time to watch"});
  for (std::uint64_t allowed = least_allowed; allowed <= most_allowed; ++allowed)
    table.row({std::to_string(allowed), length_text(core::time_to_show(wanted.per_s(), allowed, wanted.confidence))});
  return fmt::format("To show {}, at {}:\n", to_string(wanted), percent_of(wanted.confidence)) + table.text() +
         "Several CPUs that are watched at once divide the time, but for what stops all of them at once.\n"
         "How many are allowed is chosen before the run.\n";
}

}  // namespace maxlat::reports
