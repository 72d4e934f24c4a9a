// SPDX-License-Identifier: MIT
#include "plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <numeric>

#include "axes.hpp"
#include "decimate.hpp"
#include "shapes.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kTimeColumns = 360;
constexpr size_t kMostDots = 1500;

bool few_cpus(const core::Phase& phase) {
  return phase.per_cpu.size() >= 2 && phase.per_cpu.size() <= kFewCpus;
}

std::string cpu_name(const core::CpuResult& cpu) {
  return fmt::format("CPU {}", cpu.cpu);
}

// CPUs to draw one by one, with their colours: all of them when few, else the one with the largest maximum.
struct Drawn {
  const core::CpuResult* cpu;
  unsigned colour;
  std::string name;
};

std::vector<Drawn> drawn_cpus(const core::Phase& phase) {
  std::vector<Drawn> drawn;
  if (few_cpus(phase)) {
    unsigned colour = kFirstCpu;
    for (const auto& cpu : phase.per_cpu) drawn.push_back({&cpu, colour++, cpu_name(cpu)});
  } else if (phase.per_cpu.size() > kFewCpus) {
    if (const auto* worst = worst_cpu(phase))
      drawn.push_back({worst, kFirstCpu + 1, cpu_name(*worst) + " (largest maximum)"});
  }
  return drawn;
}

std::string all_name(const core::Phase& phase) {
  return phase.per_cpu.size() == 1 ? cpu_name(phase.per_cpu.front()) : fmt::format("all {} CPUs", phase.per_cpu.size());
}

Plot histogram(const PhaseView& view) {
  const auto cells = join_bins(view.all.bins, kCellsPerDecade);
  uint64_t highest = 0;
  for (const auto& cell : cells) highest = std::max(highest, cell.count);

  Plot plot;
  plot.kind = "histogram";
  plot.title = "Histogram";
  plot.description = fmt::format("Number of samples by latency, both logarithmic: {} from {} to {}.",
                                 core::counted(view.all.samples, "sample"), latency_html(view.all.min_ns),
                                 latency_html(view.all.max_ns));
  plot.x = latency_axis("latency", visible_low(view.all), std::max(view.all.max_ns, cells.back().high_ns));
  plot.y = count_axis("samples", static_cast<double>(highest));
  plot.series.push_back(
      {all_name(view.phase), kAllCpus, Series::Shape::area, outline(cells, plot.x.low, plot.y.low, 1)});
  for (const auto& drawn : drawn_cpus(view.phase)) {
    plot.series.push_back({drawn.name, drawn.colour, Series::Shape::line,
                           outline(join_bins(drawn.cpu->bins, kCellsPerDecade), plot.x.low, plot.y.low, kBridgedGap)});
  }
  plot.marks.push_back({view.all.max_ns, "max " + latency_html(view.all.max_ns)});
  return plot;
}

Plot nines(const PhaseView& view) {
  Plot plot;
  plot.kind = "nines";
  plot.title = "Nines";
  plot.description = "Latency that the given share of samples does not exceed.";
  plot.note = "Each step to the right is ten times rarer; the curve ends where the number of samples ends.";
  plot.x = nines_axis("share of samples at or below", static_cast<double>(view.all.samples));
  plot.y = latency_axis("latency", visible_low(view.all), view.all.max_ns);
  plot.series.push_back({all_name(view.phase), kAllCpus, Series::Shape::line, {nines_stroke(view.all, plot.y.low)}});
  for (const auto& drawn : drawn_cpus(view.phase)) {
    if (drawn.cpu->samples == 0) continue;
    plot.series.push_back({drawn.name, drawn.colour, Series::Shape::line, {nines_stroke(*drawn.cpu, plot.y.low)}});
  }
  return plot;
}

std::vector<Stroke> staircase(const core::Timeline& timeline) {
  std::vector<Stroke> strokes;
  double end = -1;
  for (const auto& column : join_steps(timeline, kTimeColumns)) {
    if (strokes.empty() || column.t_s > end * (1 + 1e-9)) strokes.emplace_back();
    strokes.back().push_back({column.t_s, column.max_ns});
    end = column.t_s + column.width_s;
    strokes.back().push_back({end, column.max_ns});
  }
  return strokes;
}

std::pair<double, double> extent_y(const std::vector<Series>& series) {
  double low = INFINITY, high = 0;
  for (const auto& one : series) {
    for (const auto& stroke : one.strokes) {
      for (const auto& point : stroke) {
        low = std::min(low, point.y);
        high = std::max(high, point.y);
      }
    }
  }
  return {low, high};
}

Plot timeline(const PhaseView& view) {
  const auto& all = view.all.timeline;
  const bool running = all.kind == core::Timeline::Kind::running_max;
  Plot plot;
  plot.kind = "timeline";
  plot.title = running ? "Running maximum over time" : "Maximum of each second";
  if (!running && all.step_s != 1) plot.title = fmt::format("Maximum of each {:.4g} s", all.step_s);
  plot.description = "Largest latency over the time of the phase.";
  if (running) plot.note = "This meter tells only its largest sample so far: the line can rise, never fall.";
  plot.x = time_axis(static_cast<double>(all.max_ns.size()) * all.step_s);
  for (const auto& drawn : drawn_cpus(view.phase))
    plot.series.push_back({drawn.name, drawn.colour, Series::Shape::line, staircase(drawn.cpu->timeline)});
  if (!few_cpus(view.phase))
    plot.series.push_back({all_name(view.phase), kAllCpus, Series::Shape::line, staircase(all)});
  const auto [low, high] = extent_y(plot.series);
  plot.y = latency_axis("largest latency", low, high);
  return plot;
}

// Whether a stroke from one value of a logarithmic axis to another is longer than a mark is thick.
bool is_seen(double from, double to, const Axis& axis) {
  constexpr double kLeastShare = 0.01;
  return std::log(to / from) > kLeastShare * std::log(axis.high / axis.low);
}

Plot cpus(const PhaseView& view) {
  Plot plot;
  plot.kind = "cpus";
  plot.title = "By CPU";
  plot.description = "Minimum, median, 99.9 % quantile and maximum of each CPU.";
  const auto& list = view.phase.per_cpu;
  plot.x = {"CPU", false, -0.6, static_cast<double>(list.size()) - 0.4, {}};
  plot.y = latency_axis("latency", visible_low(view.all), view.all.max_ns);
  constexpr double kPoints = 400;  // so wide is the plot, about
  const double each = kPoints / static_cast<double>(list.size()), width = std::clamp(each / 2, 1.0, 24.0);
  Series range{"minimum to maximum", kAllCpus, Series::Shape::line, {}, std::min(width / 3, 2.0)};
  Series bar{"median to p99.9", kFirstCpu, Series::Shape::line, {}, width};
  // A bar without a length would not be seen: a mark as wide as a bar, from the one quantile to the other.
  Series mark{"median and p99.9, close together", kFirstCpu, Series::Shape::line, {}, 2};
  const double half = width / 2 / each;
  Series top{"maximum", kFirstCpu + 1, Series::Shape::dots, {{}}};
  const size_t label_every = (list.size() + 15) / 16;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto& cpu = list[i];
    const double x = static_cast<double>(i);
    plot.x.tics.push_back({x, i % label_every == 0 ? fmt::format("{}", cpu.cpu) : ""});
    if (cpu.samples == 0) continue;
    const auto at_least = [&](double ns) { return std::max(ns, plot.y.low); };
    range.strokes.push_back({{x, at_least(cpu.min_ns)}, {x, at_least(cpu.max_ns)}});
    const auto median = shown_quantile(view.phase, cpu, 0.5), high = shown_quantile(view.phase, cpu, 0.999);
    if (median && high) {
      const double from = at_least(*median), to = at_least(*high);
      if (is_seen(from, to, plot.y))
        bar.strokes.push_back({{x, from}, {x, to}});
      else
        mark.strokes.push_back({{x - half, from}, {x + half, to}});
    }
    top.strokes.front().push_back({x, at_least(cpu.max_ns)});
  }
  plot.series = {std::move(range)};
  for (Series* one : {&bar, &mark})  // what was not measured is not drawn
    if (!one->strokes.empty()) plot.series.push_back(std::move(*one));
  plot.series.push_back(std::move(top));
  return plot;
}

Plot outliers(const PhaseView& view) {
  Plot plot;
  plot.kind = "outliers";
  plot.title = "Largest samples";
  plot.description = "The largest samples by the time at which they happened.";
  const bool each = few_cpus(view.phase);
  double end_s = view.phase.duration_s, low = INFINITY, high = 0;
  size_t dots = 0;
  Series all{each ? "" : all_name(view.phase), kAllCpus, Series::Shape::dots, {{}}};
  unsigned colour = kFirstCpu;
  const size_t most_each = std::max<size_t>(1, kMostDots / std::max<size_t>(1, view.phase.per_cpu.size()));
  for (const auto& cpu : view.phase.per_cpu) {
    Series own{cpu_name(cpu), colour++, Series::Shape::dots, {{}}};
    auto& into = each ? own.strokes.front() : all.strokes.front();
    for (size_t i = 0; i < std::min(most_each, cpu.outliers.size()); ++i) {  // the largest come first
      const auto& outlier = cpu.outliers[i];
      if (outlier.latency_ns <= 0) continue;
      into.push_back({outlier.t_ns / 1e9, outlier.latency_ns});
      end_s = std::max(end_s, outlier.t_ns / 1e9);
      low = std::min(low, outlier.latency_ns);
      high = std::max(high, outlier.latency_ns);
      ++dots;
    }
    if (each && !into.empty()) plot.series.push_back(std::move(own));
  }
  if (dots == 0) return plot;
  if (!each) plot.series.push_back(std::move(all));
  plot.x = time_axis(end_s);
  plot.y = latency_axis("latency", low, high);
  return plot;
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Plot load(const core::Phase& phase) {
  Plot plot;
  plot.kind = "load";
  plot.title = "Load progress";
  plot.description = "Progress of each load over time, in percent of its own median.";
  plot.note = "100 % is the load's own median; each point is the slowest second of its stretch.";
  std::string not_drawn;
  double end_s = 0, high = 100;
  unsigned colour = kFirstCpu;
  for (const auto& one : phase.load) {
    // A load that was counted in few of its seconds, all the same made progress: then its mean is the measure.
    const double median = one.progress.empty() ? 0 : core::median(one.progress),
                 whole = median > 0 ? median : mean_of(one.progress);
    if (whole <= 0) {
      not_drawn += (not_drawn.empty() ? "" : ", ") + one.name;
      continue;
    }
    const size_t each = (one.progress.size() + kTimeColumns - 1) / kTimeColumns;
    Series series{fmt::format("{} (100 % = {}{:.4g} {})", one.name, median > 0 ? "" : "mean ", whole, one.unit),
                  colour,
                  Series::Shape::line,
                  {{}}};
    for (size_t i = 0; i < one.progress.size(); i += each) {
      // The smallest of a column, not its mean: what must not be hidden here is a stall.
      const auto first = one.progress.begin() + static_cast<long>(i);
      const auto last = one.progress.begin() + static_cast<long>(std::min(i + each, one.progress.size()));
      const double percent = 100 * std::max(0.0, *std::min_element(first, last)) / whole;
      series.strokes.front().push_back({static_cast<double>(i), percent});
      series.strokes.front().push_back({static_cast<double>(std::min(i + each, one.progress.size())), percent});
      high = std::max(high, percent);
    }
    end_s = std::max(end_s, static_cast<double>(one.progress.size()));
    colour = colour + 1 < std::size(kPalette) ? colour + 1 : kFirstCpu;
    plot.series.push_back(std::move(series));
  }
  if (!not_drawn.empty()) plot.note += " Without any progress, and not drawn: " + not_drawn + ".";
  plot.x = time_axis(end_s);
  plot.y = linear_axis("progress", std::min(high * 1.1, 400.0), "%");
  return plot;
}

bool has_points(const Plot& plot) {
  for (const auto& series : plot.series) {
    for (const auto& stroke : series.strokes) {
      if (!stroke.empty()) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Plot> plots_of(const PhaseView& view) {
  std::vector<Plot> plots;
  const auto add = [&](Plot plot) {
    if (!has_points(plot)) return;
    plot.title = core::shown_name(view.phase) + ": " + plot.title;
    plots.push_back(std::move(plot));
  };
  if (!view.all.bins.empty()) add(histogram(view));
  if (view.all.max_ns > 0) add(nines(view));
  if (!join_steps(view.all.timeline, 1).empty()) add(timeline(view));
  if (view.all.max_ns > 0) add(cpus(view));
  add(outliers(view));
  add(load(view.phase));
  return plots;
}

}  // namespace maxlat::reports
