// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <maxlat/trace_tools/sensor_show.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::HistogramValue;

constexpr double kQuantiles[] = {0.5, 0.99, 0.999};
constexpr int kBarWidth = 50;

std::string histogram_line(const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
  const auto& v = std::get<HistogramValue>(value);
  if (v.total == 0) return "no value yet";
  std::string text = fmt::format("n={}", v.total);
  if (v.has_moments) text += " min " + with_unit(v.min, facts.unit);
  for (const double part : kQuantiles)
    text += fmt::format(" p{:g} {}", 100 * part, with_unit(v.quantile(part), facts.unit));
  if (v.has_moments) text += " max " + with_unit(v.max, facts.unit);
  if (v.overflows != 0) text += fmt::format(" ({} beyond the range)", v.overflows);
  if (v.below != 0) text += fmt::format(" ({} below it)", v.below);
  return text;
}

std::string bar(std::uint64_t low, std::uint64_t count, std::uint64_t most, const std::string& unit) {
  const auto length = count == 0 ? 0 : std::max<std::uint64_t>(1, count * kBarWidth / most);
  return fmt::format("    from {:>12} {:>14} {}\n", with_unit(low, unit), count, std::string(length, '#'));
}

// Of a linear one as many buckets together as leave this many lines.
std::string linear_details(const HistogramValue& v, const std::string& unit) {
  constexpr std::size_t kLines = 32;
  const std::size_t together = (v.buckets.size() + kLines - 1) / kLines;
  std::vector<std::uint64_t> lines;
  for (std::size_t i = 0; i < v.buckets.size(); ++i) {
    if (i % together == 0) lines.push_back(0);
    lines.back() += v.buckets[i];
  }
  const auto is_some = [](std::uint64_t count) { return count != 0; };
  const auto first = std::find_if(lines.begin(), lines.end(), is_some);
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_some).base();
  std::string text;
  for (auto line = first; line < last; ++line)
    text += bar(v.low_of(static_cast<std::uint32_t>((line - lines.begin()) * static_cast<std::ptrdiff_t>(together))),
                *line, *std::max_element(lines.begin(), lines.end()), unit);
  return text;
}

// A bar for each octave: 1, 2-3, 4-7, ... has the same relative width everywhere.
std::string log_linear_details(const HistogramValue& v, const std::string& unit) {
  std::uint64_t octaves[65]{};
  int first = 64, last = 0;
  for (std::uint32_t i = 0; i < v.buckets.size(); ++i) {
    if (v.buckets[i] == 0) continue;
    const int octave = static_cast<int>(std::bit_width(maxlat_shape_low(v.shape, i)));
    octaves[octave] += v.buckets[i];
    first = std::min(first, octave);
    last = std::max(last, octave);
  }
  const std::uint64_t most = *std::max_element(std::begin(octaves), std::end(octaves));
  std::string text;
  for (int octave = first; octave <= last; ++octave) {
    const std::uint64_t low = octave == 0 ? 0 : 1ull << (octave - 1);
    text += bar(low, octaves[octave], most, unit);
  }
  if (v.deviation) text += fmt::format("    standard deviation {}\n", mean_text(*v.deviation, unit));
  for (const HistogramValue::Outlier& one : v.outliers)
    text += fmt::format("    beyond the range: {}{}\n", with_unit(one.value, unit),
                        one.time != 0 ? fmt::format(", at {}", one.time) : "");
  return text;
}

nlohmann::ordered_json histogram_json(const sensors::SensorValue& value) {
  const auto& v = std::get<HistogramValue>(value);
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (std::uint32_t i = 0; i < v.buckets.size(); ++i)
    if (v.buckets[i] != 0) bins.push_back({v.low_of(i), v.high_of(i), v.buckets[i]});
  nlohmann::ordered_json json{{"count", v.total}, {"bins", bins}, {"overflow", v.overflows}};
  if (v.width != 0) json["below"] = v.below;
  if (v.has_moments) json.update({{"min", v.min}, {"max", v.max}, {"sum", v.sum}});
  if (v.deviation) json["deviation"] = *v.deviation;
  for (const HistogramValue::Outlier& one : v.outliers)
    json["outliers"].push_back({{"value", one.value}, {"time", one.time}});
  return json;
}

// Bounds may be left out, and most would be.
void histogram_samples(const sensors::SensorValue& value, const MetricSamples& to) {
  const auto& v = std::get<HistogramValue>(value);
  std::uint64_t seen = v.below;
  for (std::uint32_t i = 0; i < v.buckets.size(); ++i) {
    if (v.buckets[i] == 0) continue;
    seen += v.buckets[i];
    const double bound = static_cast<double>(v.high_of(i)) * to.factor;
    to.put_count("_bucket", "le", fmt::format("{}", bound), static_cast<double>(seen));
  }
  to.put_count("_bucket", "le", "+Inf", static_cast<double>(v.total));
  // These two go together. Of buckets alone there is no sum.
  if (!v.has_moments && v.total != 0) return;
  to.put_count("_count", static_cast<double>(v.total));
  to.put("_sum", static_cast<double>(v.sum));
}

}  // namespace

// Of both forms.
extern const SensorShow kHistogramShow{
    .kind = sensors::SensorKind::histogram,
    .line = histogram_line,
    .details =
        [](const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
          const auto& v = std::get<HistogramValue>(value);
          return v.width != 0 ? linear_details(v, facts.unit) : log_linear_details(v, facts.unit);
        },
    .json = histogram_json,
    .posts = [](const sensors::SensorValue& value) { return std::get<HistogramValue>(value).total; },
    .samples = histogram_samples,
    .samples_are = core::OpenMetrics::Type::histogram,
};

}  // namespace maxlat::trace_tools
