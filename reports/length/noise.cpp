// SPDX-License-Identifier: MIT
#include "noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/repeats.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <nlohmann/json.hpp>
#include <span>

#include "view/measured_alike.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

constexpr double kLeast_ns = 0.01;  // has a logarithm
constexpr double kMostFound = 10;   // times the median: what needs more is not told by so noisy a measure

// As a ratio, because a build that is slower is noisier by the same ratio: a difference that is sized by the base's
// noise alone is missed too often. Ranks see logarithms as they see the values.
std::optional<double> found_by(const NoiseRow& row, std::size_t each, double alpha) {
  const double noisier = row.of_the_tail ? core::kNoisierOfTails : core::kNoisier;
  std::vector<double> logarithms;
  for (const double ns : row.values_ns) logarithms.push_back(std::log(std::max(ns, kLeast_ns)));
  const std::optional<double> found = core::smallest_difference(logarithms, each, alpha, noisier);
  if (!found || std::expm1(*found) > kMostFound) return {};
  return std::max(core::median(row.values_ns) * std::expm1(*found), row.resolution_ns);
}

// A measure that one of the runs did not measure is none of theirs.
void add_row(PhaseNoise& noise, const std::string& measure, const std::vector<std::optional<double>>& values,
             bool of_the_tail) {
  NoiseRow row;
  row.measure = measure;
  row.of_the_tail = of_the_tail;
  for (const std::optional<double>& value : values) {
    if (!value) return;
    row.values_ns.push_back(*value);
  }
  noise.rows.push_back(std::move(row));
}

// Of the longer samples alone they are none.
void add_quantiles(PhaseNoise& noise, const std::vector<const core::Phase*>& repeats,
                   const std::vector<core::CpuResult>& runs) {
  constexpr double kTailFrom = 0.999;
  for (const core::Phase* phase : repeats)
    if (const auto why = not_told(*phase, 0)) return noise.left_out.push_back("quantiles: " + *why);
  for (const core::QuantileLevel& level : core::kQuantileLevels) {
    std::vector<std::optional<double>> values;
    for (const core::CpuResult& run : runs) values.push_back(core::measured_quantile(run, level.level));
    add_row(noise, level.label, values, level.level >= kTailFrom);
  }
}

// Repeats of the same thing do not drift.
double halves_p(const std::vector<double>& values) {
  const std::span<const double> all = values;
  const std::size_t half = std::min(all.size(), core::kMostExactRanks) / 2;
  return core::difference_of_groups(all.first(half), all.last(half)).p;
}

bool drifts(const PhaseNoise& noise, const NoiseRow& row) {
  return row.halves_p <= (1 - noise.confidence) / static_cast<double>(noise.rows.size());
}

std::string found_text(const std::optional<double>& found_ns, double median_ns) {
  if (!found_ns) return "cannot be found";
  return fmt::format("{} ({:.0f} %)", core::latency_text(*found_ns), 100 * *found_ns / median_ns);
}

}  // namespace

PhaseNoise noise_of(const std::vector<const core::Phase*>& repeats, double confidence, std::size_t phases) {
  PhaseNoise noise;
  noise.phase = core::shown_name(*repeats.front());
  noise.confidence = confidence;
  std::vector<core::CpuResult> runs;
  for (const core::Phase* phase : repeats) runs.push_back(merge_cpus(*phase));
  add_quantiles(noise, repeats, runs);
  if (const auto apart = maxima_apart_because(repeats)) {
    noise.left_out.push_back("max: " + *apart);
  } else {
    std::vector<std::optional<double>> values;
    for (const core::CpuResult& run : runs) values.emplace_back(run.max_ns);
    add_row(noise, "max", values, true);
  }
  if (noise.rows.empty()) return noise;
  const double alpha = (1 - confidence) / static_cast<double>(noise.rows.size() * phases);
  noise.needed = core::repeats_needed(alpha);
  for (NoiseRow& row : noise.rows) {
    for (std::size_t run = 0; run < runs.size(); ++run)
      row.resolution_ns = std::max(row.resolution_ns, resolution_at(runs[run], row.values_ns[run]));
    row.found_ns = found_by(row, runs.size(), alpha);
    row.found_with_twice_ns = found_by(row, 2 * runs.size(), alpha);
    row.halves_p = halves_p(row.values_ns);
  }
  return noise;
}

std::string noise_text(const PhaseNoise& noise) {
  std::string left_out;
  for (const std::string& what : noise.left_out) left_out += "  Left out: " + core::printable(what) + "\n";
  if (noise.rows.empty()) return core::printable(noise.phase) + ": nothing to compare\n" + left_out;
  const std::size_t runs = noise.rows.front().values_ns.size();
  core::TextTable table({"measure", "#median", "#least", "#greatest", fmt::format("#found by {} and {}", runs, runs),
                         fmt::format("#by {} and {}", 2 * runs, 2 * runs)});
  std::string drifting;
  for (const NoiseRow& row : noise.rows) {
    const auto [least, greatest] = std::minmax_element(row.values_ns.begin(), row.values_ns.end());
    const double median_ns = core::median(row.values_ns);
    table.row({row.measure, core::latency_text(median_ns), core::latency_text(*least), core::latency_text(*greatest),
               found_text(row.found_ns, median_ns), found_text(row.found_with_twice_ns, median_ns)});
    if (drifts(noise, row)) drifting += (drifting.empty() ? "" : ", ") + row.measure;
  }
  std::string text = fmt::format("{}: {} runs, taken as repeats of the same\n", core::printable(noise.phase), runs);
  text += table.text();
  text += "  Found: the smallest difference to as many runs of another build that 19 of 20 comparisons find.\n";
  if (std::any_of(noise.rows.begin(), noise.rows.end(), [&](const NoiseRow& row) {
        return !row.found_with_twice_ns || (!row.found_ns && runs >= noise.needed);
      }))
    text += fmt::format("  Cannot be found: a difference of {:.0f} % would be too small among such runs.\n",
                        100 * kMostFound);
  if (runs < noise.needed)
    text += fmt::format("  Fewer than {} runs of each find no difference in so many measures, however large it is.\n",
                        noise.needed);
  if (!drifting.empty())
    text += fmt::format("  The later runs differ from the earlier ones in {}: they are no repeats of the same.\n",
                        drifting);
  return text + left_out;
}

std::string noise_json(const std::vector<PhaseNoise>& all) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "maxlat-plan-length/2"}, {"repeats", Json::array()}};
  for (const PhaseNoise& noise : all) {
    Json phase = {{"phase", noise.phase}, {"confidence", noise.confidence}, {"runs_needed", noise.needed}};
    if (!noise.left_out.empty()) phase["left_out"] = noise.left_out;
    for (const NoiseRow& row : noise.rows) {
      Json measure = {{"measure", row.measure}, {"values_ns", row.values_ns}, {"halves_p", row.halves_p}};
      if (row.found_ns) measure["found_ns"] = *row.found_ns;
      if (row.found_with_twice_ns) measure["found_with_twice_ns"] = *row.found_with_twice_ns;
      phase["measures"].push_back(std::move(measure));
    }
    json["repeats"].push_back(std::move(phase));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace maxlat::reports
