// SPDX-License-Identifier: MIT
#include "axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr double kSteps[] = {1, 2, 5, 10};
constexpr double kTolerance = 1e-9;

double decade_of(double value) {
  return std::pow(10, std::floor(std::log10(value) + kTolerance));
}

double step_at_or_below(double value) {
  const double decade = decade_of(value);
  double step = decade;
  for (const double factor : kSteps) {
    if (decade * factor <= value * (1 + kTolerance)) step = decade * factor;
  }
  return step;
}

double step_at_or_above(double value) {
  const double decade = decade_of(value);
  for (const double factor : kSteps) {
    if (decade * factor >= value * (1 - kTolerance)) return decade * factor;
  }
  return decade * 10;
}

// Tics of a logarithmic axis; `label` names a value. At most about `most` labels: else 2 and 5, then decades are left
// out.
template <typename Label>
std::vector<Tic> log_tics(double low, double high, size_t most, Label label) {
  const double decades = std::log10(high / low);
  const bool with_steps = decades <= 1.7;
  const auto every = std::max(1L, std::lround(std::ceil(decades / static_cast<double>(most))));
  std::vector<Tic> tics;
  const long first = std::lround(std::floor(std::log10(low) - kTolerance));
  for (long exponent = first; std::pow(10, exponent) <= high * (1 + kTolerance); ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double at = factor * std::pow(10, exponent);
      if (at < low * (1 - kTolerance) || at > high * (1 + kTolerance)) continue;
      if (factor == 1.0 || with_steps) tics.push_back({at, (exponent % every == 0 || with_steps) ? label(at) : ""});
    }
  }
  return tics;
}

// "99.9 %"; from six nines on the digits are no longer counted at a glance.
std::string nines_label(int nines) {
  if (nines >= 6) return fmt::format("{} nines", nines);
  return fmt::format("{:.{}f} %", 100 - std::pow(10, 2 - nines), std::max(0, nines - 2));
}

double round_step(double high, double about_tics) {
  return step_at_or_above(high / about_tics);
}

}  // namespace

Axis latency_axis(std::string label, double low_ns, double high_ns) {
  Axis axis{std::move(label), true, step_at_or_below(low_ns), step_at_or_above(std::max(low_ns, high_ns)), {}};
  if (axis.high <= axis.low) axis.high = axis.low * 10;
  axis.tics = log_tics(axis.low, axis.high, 7, decade_label);
  axis.unit = "ns";
  return axis;
}

Axis count_axis(std::string label, double high) {
  Axis axis{std::move(label), true, 0.5, step_at_or_above(std::max(high * 1.2, 10.0)), {}};
  axis.tics = log_tics(1, axis.high, 6, count_label);
  axis.unit = "count";
  return axis;
}

Axis nines_axis(std::string label, double samples) {
  const double end = std::max(1.0, std::log10(std::max(samples, 1.0)));
  Axis axis{std::move(label), false, 0, end + 0.15, {}, "nines"};
  const int last = static_cast<int>(end + kTolerance);
  const int every = last > 6 ? 2 : 1;  // room for six labels on a small plot
  for (int nines = 0; nines <= last; ++nines) {
    const bool labelled = nines % every == 0;
    axis.tics.push_back({static_cast<double>(nines), labelled ? nines_label(nines) : ""});
  }
  return axis;
}

Axis time_axis(double end_s) {
  struct Unit {
    double seconds;
    const char* name;
  };
  Unit unit{1, "s"};
  if (end_s > 7200)
    unit = {3600, "h"};
  else if (end_s > 300)
    unit = {60, "min"};
  Axis axis{fmt::format("time in {}", unit.name), false, 0, std::max(end_s, 1e-3), {}, "s"};
  const double step = round_step(axis.high / unit.seconds, 6);
  for (double at = 0; at * unit.seconds <= axis.high * (1 + kTolerance); at += step)
    axis.tics.push_back({at * unit.seconds, fmt::format("{:.4g}", at)});
  return axis;
}

Axis period_axis(std::string label, double low_s, double high_s) {
  static constexpr struct {
    double seconds;
    const char* name;
  } kNamed[] = {{1, "1 s"},      {10, "10 s"},   {60, "1 min"},      {600, "10 min"},   {3600, "1 h"},
                {36000, "10 h"}, {86400, "1 d"}, {604800, "1 week"}, {2592000, "30 d"}, {31536000, "1 y"}};
  Axis axis{std::move(label), true, low_s, high_s, {}, "period"};
  for (const auto& period : kNamed)
    if (period.seconds >= low_s * (1 - kTolerance) && period.seconds <= high_s * (1 + kTolerance))
      axis.tics.push_back({period.seconds, period.name});
  return axis;
}

Axis date_axis(double begin_s, double end_s) {
  constexpr double kDay = 86400;
  constexpr double kTicSteps[] = {60,        300,       900,        3600,       3 * 3600,
                                  6 * 3600,  kDay,      2 * kDay,   7 * kDay,   14 * kDay,
                                  30 * kDay, 91 * kDay, 182 * kDay, 365 * kDay, 730 * kDay};
  const double length_s = std::max(end_s - begin_s, 60.0);
  double step = kTicSteps[0];
  for (const double one : kTicSteps)
    if (length_s / step > 6) step = one;
  while (length_s / step > 6) step *= 2;
  // A point at either end is not cut in half.
  Axis axis{step < kDay ? "time (UTC)" : "date", false, -0.02 * length_s, 1.02 * length_s, {},
            fmt::format("date {:.0f}", begin_s)};
  for (double at = std::ceil(begin_s / step) * step; at <= begin_s + length_s; at += step) {
    const auto seconds = static_cast<std::time_t>(at);
    std::tm time{};
    ::gmtime_r(&seconds, &time);
    char text[16];
    std::strftime(text, sizeof(text), step < kDay ? "%d. %H:%M" : length_s > 700 * kDay ? "%Y-%m" : "%d %b", &time);
    axis.tics.push_back({at - begin_s, text});
  }
  return axis;
}

Axis linear_axis(std::string label, double high, const std::string& unit) {
  const double step = round_step(std::max(high, 1e-9), 5);
  Axis axis{std::move(label), false, 0, step * std::ceil(std::max(high, 1e-9) / step - kTolerance), {}, unit};
  for (double at = 0; at <= axis.high * (1 + kTolerance); at += step)
    axis.tics.push_back({at, fmt::format("{:.4g} {}", at, unit)});
  return axis;
}

}  // namespace maxlat::reports
