// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/trace_tools/sensor_show.hpp>

#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::string_view kTicks = "ticks:";

template <class Number>
std::string number_text(Number number, const std::string& unit) {
  if (const double ns = ns_of_unit(unit); ns != 0) return core::latency_text(static_cast<double>(number) * ns);
  return unit.empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, unit);
}

// Of a kind that is in no table.
const SensorShow kUnknownShow{
    .kind = sensors::SensorKind::unknown,
    .line = [](const sensors::SensorFacts&, const sensors::SensorValue&) -> std::string {
      return "(of a later version of the tracer)";
    },
    .json = [](const sensors::SensorValue&) -> nlohmann::ordered_json { return nullptr; },
};

}  // namespace

std::vector<const SensorShow*> sensor_show_rows();  // of CMakeLists.txt

std::vector<const SensorShow*>& sensor_show_table() {
  static std::vector<const SensorShow*> table = sensor_show_rows();
  return table;
}

const SensorShow& show_of(sensors::SensorKind kind) {
  const auto& table = sensor_show_table();
  const auto row = std::find_if(table.begin(), table.end(), [&](const SensorShow* show) { return show->kind == kind; });
  return row == table.end() ? kUnknownShow : **row;
}

double ns_of_unit(std::string_view unit) {
  if (unit.starts_with(kTicks)) {
    std::uint64_t khz = 0;
    const char* const end = unit.data() + unit.size();
    const auto [rest, failure] = std::from_chars(unit.data() + kTicks.size(), end, khz);
    return failure == std::errc() && rest == end && khz != 0 ? 1e6 / static_cast<double>(khz) : 0;
  }
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [name, ns] : kUnits)
    if (unit == name) return ns;
  return 0;
}

std::string with_unit(std::uint64_t number, const std::string& unit) {
  return number_text(number, unit);
}
std::string with_unit(std::int64_t number, const std::string& unit) {
  return number_text(number, unit);
}

std::string mean_text(double mean, const std::string& unit) {
  if (const double ns = ns_of_unit(unit); ns != 0) return core::latency_text(mean * ns);
  return fmt::format("{:.6g}{}{}", mean, unit.empty() ? "" : " ", unit);
}

void MetricSamples::put_count(std::string_view suffix, const std::string& label, const std::string& is,
                              double count) const {
  core::OpenMetrics::Labels all = labels;
  all.emplace_back(label, is);
  metrics.sample(suffix, all, count);
}

}  // namespace maxlat::trace_tools
