// SPDX-License-Identifier: MIT
//
// One phase on the page: whether its figures may be used, how they were made, the figures, the plots, and what was kept
// of the largest samples. Works for any kind of phase: what a phase does not have is left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "sections.hpp"
#include "view/numbers.hpp"
#include "view/suspicions.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kCpusInOneTable = 16;  // more are folded away, the worst shown
constexpr size_t kWorstShown = 5;
constexpr size_t kOutliersShown = 12;

// Facts come as name and value of the result file: "counter_mhz" = "2596.144" reads better as counter: 2596.144 MHz.
std::pair<std::string, std::string> in_words(std::string name, std::string value) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"_ns", "ns"}, {"_us", "µs"}, {"_ms", "ms"}, {"_s", "s"}, {"_mhz", "MHz"}, {"_ppm", "ppm"}, {"_percent", "%"}};
  for (const auto& [suffix, unit] : kUnits) {
    if (!name.ends_with(suffix)) continue;
    name.resize(name.size() - suffix.size());
    value += fmt::format("\u202f{}", unit);
    break;
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return {std::move(name), std::move(value)};
}

void facts(Html& html, const core::Phase& phase) {
  const auto list = html.element("dl", {{"class", "facts"}});
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    const auto pair = html.element("div");
    html.leaf("dt", name);
    html.leaf("dd", value);
  };
  fact("kind", phase.kind);
  fact("arm", phase.arm);
  fact("started", phase.started);
  if (phase.duration_s > 0) fact("wall time", core::duration_text(phase.duration_s));
  if (phase.exposure_s > 0) fact("exposure", seconds_html(phase.exposure_s) + " of CPU time, all CPUs together");
  for (const auto& [key, text] : phase.facts) {
    const auto [name, value] = in_words(key, text);
    fact(name, value);
  }
}

void cpu_row(Html& html, const core::Phase& phase, const std::string& name, const core::CpuResult& cpu,
             std::string_view style = {}) {
  const auto row = html.element("tr", {{"class", style}});
  const auto number = [&](const std::string& text) { html.leaf("td", text, {{"class", "n"}}); };
  html.leaf("th", name, {{"scope", "row"}});
  number(grouped(cpu.samples));
  number(cpu.exposure_s > 0 ? seconds_html(cpu.exposure_s) : "–");
  if (cpu.samples == 0) {
    for (size_t i = 0; i < 4 + core::kQuantileLevels.size(); ++i) number("–");
    return;
  }
  number(latency_html(cpu.min_ns));
  for (const double ns : {cpu.mean_ns, cpu.stddev_ns}) number(shows_mean(phase, cpu) ? latency_html(ns) : "–");
  for (const auto& level : core::kQuantileLevels) {
    const auto ns = shown_quantile(phase, cpu, level.level);
    number(ns ? latency_html(*ns) : "–");
  }
  html.leaf("td", latency_html(cpu.max_ns), {{"class", "n top"}});
}

void cpu_table(Html& html, std::string_view label, const PhaseView& view, std::span<const core::CpuResult* const> cpus,
               bool with_all) {
  const Table table(html, label,
                    {"CPU", "#samples", "#exposure", "#min", "#mean", "#std. dev.", "#p50", "#p90", "#p99", "#p99.9",
                     "#p99.99", "#p99.999", "#p99.9999", "#max"},
                    "dense");
  if (with_all) cpu_row(html, view.phase, "all", view.all, "all");
  for (const auto* cpu : cpus) cpu_row(html, view.phase, fmt::format("{}", cpu->cpu), *cpu);
}

void cpu_tables(Html& html, const PhaseView& view) {
  if (view.phase.per_cpu.empty()) return;
  std::vector<const core::CpuResult*> cpus;
  for (const auto& cpu : view.phase.per_cpu) cpus.push_back(&cpu);
  html.leaf("h3", "Latency by CPU");
  if (cpus.size() <= kCpusInOneTable) {
    cpu_table(html, "Latency by CPU", view, cpus, cpus.size() > 1);
    return;
  }
  std::vector<const core::CpuResult*> worst = cpus;
  std::stable_sort(worst.begin(), worst.end(), [](const auto* a, const auto* b) { return a->max_ns > b->max_ns; });
  worst.resize(kWorstShown);
  cpu_table(html, "Latency of the worst CPUs", view, worst, true);
  html.leaf("p", fmt::format("The {} CPUs with the largest maxima of {}.", kWorstShown, cpus.size()),
            {{"class", "soft"}});
  const auto details = html.element("details");
  html.leaf("summary", fmt::format("All {} CPUs", cpus.size()));
  cpu_table(html, "Latency by CPU", view, cpus, false);
}

void statements(Html& html, const PhaseView& view) {
  if (const auto rule = rule_of_three(view.all)) {
    const char* bound = core::is_upper_bound(view.phase) ? " (an upper bound)" : "";
    std::string text =
        fmt::format("No sample above {}{} in {}: at 95 % confidence fewer than one sample in {} is longer",
                    latency_html(view.all.max_ns), bound, grouped(view.all.samples), about(1 / rule->share));
    if (rule->every_s) text += fmt::format(", less than one in {} of CPU time", seconds_html(*rule->every_s));
    text += ", as long as the box stays as it was and samples do not depend on each other (rule of three).";
    html.leaf("p", text, {{"class", "statement"}});
  }
  std::string text;
  for (const std::string& one : suspicions(view)) text += one + " ";
  if (!text.empty()) html.leaf("p", text + "This is a hint, not part of the verdict.", {{"class", "warning"}});
}

// What was traced around an outlier, one line an event, folded away.
void nearby_events(Html& html, const core::Outlier& outlier) {
  if (outlier.events.empty()) return;
  std::string lines;
  for (const core::NearbyEvent& event : outlier.events) lines += core::line_of(event, outlier) + "\n";
  const auto details = html.element("details");
  html.leaf("summary", "the events around its end");
  html.leaf("pre", lines);
}

void outlier_table(Html& html, const PhaseView& view) {
  std::vector<LargeSample> samples = largest_samples(view.phase);
  if (samples.empty()) return;
  samples.resize(std::min(kOutliersShown, samples.size()));
  html.leaf("h3", "Largest samples");
  const bool causes = std::any_of(samples.begin(), samples.end(), [](const auto& sample) {
    return sample.outlier != nullptr && !core::story_of(*sample.outlier).empty();
  });
  const bool clocked = core::wall_clock(view.phase, 0).has_value();
  const Table table(html, "Largest samples",
                    {"#latency", "#CPU", "#after the start", clocked ? "by the clock" : "", causes ? "cause" : ""});
  for (const LargeSample& sample : samples) {
    const core::Outlier* outlier = sample.outlier;
    const auto row = html.element("tr");
    html.leaf("td", latency_html(sample.latency_ns), {{"class", "n"}});
    html.leaf("td", fmt::format("{}", sample.cpu), {{"class", "n"}});
    html.leaf("td", outlier != nullptr ? fmt::format("{:.6f}\u202fs", outlier->t_ns / 1e9) : "time unknown",
              {{"class", "n"}});
    const auto clock = outlier != nullptr ? core::wall_clock(view.phase, outlier->t_ns) : std::nullopt;
    html.leaf("td", clock ? clock->time + " " + clock->zone : "", {{"class", "tight"}});
    const auto cell = html.element("td");
    if (outlier == nullptr) continue;
    html.text(core::story_of(*outlier));
    nearby_events(html, *outlier);
  }
}

void overflow_note(Html& html, const PhaseView& view) {
  if (view.all.overflow_count == 0) return;
  const bool one = view.all.overflow_count == 1;
  std::string text = fmt::format("{} sample{} lay beyond the histogram's range and {} counted all the same",
                                 grouped(view.all.overflow_count), one ? "" : "s", one ? "is" : "are");
  const char* comma = ": ";
  for (size_t i = 0; i < std::min<size_t>(5, view.all.overflow.size()); ++i) {
    text += comma + latency_html(view.all.overflow[i].latency_ns) + fmt::format(" on CPU {}", view.all.overflow[i].cpu);
    comma = ", ";
  }
  html.leaf("p", text + ".", {{"class", "warning"}});
}

void load_table(Html& html, const core::Phase& phase) {
  if (phase.load.empty()) return;
  html.leaf("h3", "Loads");
  const Table table(html, "Loads", {"load", "command", "state", "#progress, median", "#lowest"});
  for (const auto& load : phase.load) {
    const auto row = html.element("tr");
    html.leaf("td", load.name);
    {
      const auto cell = html.element("td");
      html.leaf("code", load.command);
    }
    {
      const auto cell = html.element("td");
      html.leaf("span", load.alive ? "alive" : "dead", {{"class", load.alive ? "chip pass" : "chip fail"}});
      if (!load.reason.empty()) html.leaf("span", load.reason, {{"class", "why"}});
    }
    std::vector<double> progress = load.progress;
    std::sort(progress.begin(), progress.end());
    const auto figure_of = [&](size_t at) {
      return progress.empty() ? std::string("–") : fmt::format("{:.4g} {}", progress[at], load.unit);
    };
    html.leaf("td", figure_of(progress.size() / 2), {{"class", "n"}});
    html.leaf("td", figure_of(0), {{"class", "n"}});
  }
}

// The stalls of one planted length, on all CPUs.
struct LengthOfStalls {
  double planted_ns = 0;
  core::CpuList cpus;
  core::StallCounts counts;
  double largest_error_ns = 0;  // of those that were seen, by size
};

std::vector<LengthOfStalls> by_length(const core::ControlResult& control) {
  std::map<double, LengthOfStalls> lengths;
  for (const auto& stall : control.stalls) {
    LengthOfStalls& length = lengths[stall.planted_ns];
    length.planted_ns = stall.planted_ns;
    if (std::find(length.cpus.begin(), length.cpus.end(), stall.cpu) == length.cpus.end())
      length.cpus.push_back(stall.cpu);
    length.counts.add(stall);
    if (core::outcome_of(stall) == core::StallOutcome::missed) continue;
    // What lies between the hog's own time and that time with its wake-up is no error of the meter.
    const double beyond_ns = stall.found_ns - stall.actual_ns;
    const double error = beyond_ns < 0 ? beyond_ns : std::max(0.0, beyond_ns - stall.wake_ns);
    if (std::abs(error) > std::abs(length.largest_error_ns)) length.largest_error_ns = error;
  }
  std::vector<LengthOfStalls> rows;
  for (auto& [planted_ns, length] : lengths) {
    std::sort(length.cpus.begin(), length.cpus.end());
    rows.push_back(std::move(length));
  }
  return rows;
}

void control_table(Html& html, const core::ControlResult& control) {
  html.leaf("h3", "Positive control: " + control.meter);
  html.leaf("p", fmt::format("Stalls of known length, made by a hog on the measured CPU. Found: seen within {} of what "
                             "the hog really held the CPU, its own wake-up apart. Off size: seen longer or shorter. "
                             "Missed: not seen.",
                             latency_html(control.stated_error_ns)));
  const Table table(html, "Positive control",
                    {"#planted", "CPUs", "#stalls", "#found", "#off size", "#missed", "#largest error", "result"});
  for (const LengthOfStalls& length : by_length(control)) {
    const auto row = html.element("tr");
    const auto number = [&](const std::string& text) { html.leaf("td", text, {{"class", "n"}}); };
    number(latency_html(length.planted_ns));
    html.leaf("td", core::to_string(length.cpus));
    const core::StallCounts& counts = length.counts;
    for (const size_t count : {counts.planted, counts.found, counts.off_size, counts.missed})
      number(fmt::format("{}", count));
    number(counts.missed == counts.planted
               ? "–"
               : (length.largest_error_ns < 0 ? "−" : "+") + latency_html(std::abs(length.largest_error_ns)));
    const auto cell = html.element("td");
    using core::StallOutcome;
    const StallOutcome worst = counts.missed > 0     ? StallOutcome::missed
                               : counts.off_size > 0 ? StallOutcome::off_size
                                                     : StallOutcome::found;
    constexpr std::string_view kChips[] = {"chip pass", "chip invalid", "chip fail"};  // as the outcomes are listed
    html.leaf("span", core::to_string(worst), {{"class", kChips[static_cast<size_t>(worst)]}});
  }
}

void event_table(Html& html, const core::EventCounts& events) {
  html.leaf("h3", "Events of the traced arm");
  const uint64_t accounted = events.recorded + events.lost();
  {
    const Table table(html, "Events",
                      {"#produced", "#recorded", "#lost: buffer full", "#lost: wrapped", "#lost: too big"});
    const auto row = html.element("tr");
    for (const uint64_t count : {events.produced, events.recorded, events.lost_full, events.lost_wrap, events.lost_big})
      html.leaf("td", grouped(count), {{"class", "n"}});
  }
  if (accounted != events.produced)
    html.leaf("p", fmt::format("The books do not balance: recorded and lost make {}.", grouped(accounted)),
              {{"class", "warning"}});
}

void phase_body(Html& html, const PhaseView& view, const std::optional<TailView>& tail,
                std::span<const DrawnPlot> plots) {
  const core::Phase& phase = view.phase;
  if (!phase.reason.empty())
    html.leaf("p", phase.reason, {{"class", phase.status == core::PhaseStatus::ok ? "" : "warning"}});
  if (phase.status == core::PhaseStatus::ok) {
    if (const auto reason = unfit_because(phase))
      html.leaf("p", "Not to be used: " + *reason + ".", {{"class", "warning"}});
  }
  if (!phase.command.empty()) html.leaf("code", phase.command, {{"class", "command"}});
  facts(html, phase);
  for (const auto& warning : phase.warnings) html.leaf("p", warning, {{"class", "warning"}});
  if (!unfit_because(phase)) statements(html, view);
  overflow_note(html, view);
  if (phase.control) control_table(html, *phase.control);
  cpu_tables(html, view);
  if (tail) tail_part(html, *tail);
  pairs_table(html, phase);
  plot_grid(html, plots);
  heat_map(html, phase);
  if (phase.events) event_table(html, *phase.events);
  outlier_table(html, view);
  interference_table(html, phase);
  activity_table(html, phase);
  load_table(html, phase);
}

}  // namespace

void phase_section(Html& html, const PhaseView& view, const std::optional<TailView>& tail, const std::string& anchor,
                   std::span<const DrawnPlot> plots) {
  const core::Phase& phase = view.phase;
  const auto section = html.element("section", {{"class", "phase"}, {"id", anchor}, {"data-kind", phase.kind}});
  {
    const auto heading = html.element("h2");
    html.text(core::shown_name(phase));
    status_chip(html, phase.status);
  }
  phase_body(html, view, tail, plots);
}

void arm_details(Html& html, const PhaseView& view, const std::string& anchor) {
  const auto details = html.element("details", {{"class", "arm"}, {"id", anchor}});
  {
    const auto summary = html.element("summary");
    html.text(view.phase.arm + (view.phase.gaps.empty() ? "" : " (" + view.phase.gaps + ")"));
    status_chip(html, view.phase.status);
  }
  phase_body(html, view, {}, {});
}

}  // namespace maxlat::reports
