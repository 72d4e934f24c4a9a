// SPDX-License-Identifier: MIT
#include "sensors/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::CountersValue;
using sensors::CounterValue;
using sensors::EventsValue;
using sensors::GaugeValue;
using sensors::HistogramValue;
using sensors::MapValue;
using sensors::SensorFacts;
using sensors::StatValue;

constexpr double kQuantiles[] = {0.5, 0.99, 0.999};
constexpr int kBarWidth = 50;

constexpr std::string_view kTicks = "ticks:";

template <class Number>
std::string with_unit(Number number, const std::string& unit) {
  if (const double ns = ns_of_unit(unit); ns != 0) return core::latency_text(static_cast<double>(number) * ns);
  return unit.empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, unit);
}

double mean_of(std::int64_t sum, std::uint64_t count) {
  return static_cast<double>(sum) / static_cast<double>(count);
}

std::string mean_text(double mean, const std::string& unit) {
  if (const double ns = ns_of_unit(unit); ns != 0) return core::latency_text(mean * ns);
  return fmt::format("{:.6g}{}{}", mean, unit.empty() ? "" : " ", unit);
}

struct Posts {
  std::optional<std::uint64_t> operator()(std::monostate) const { return std::nullopt; }
  std::optional<std::uint64_t> operator()(const CounterValue& v) const { return v.value; }
  std::optional<std::uint64_t> operator()(const GaugeValue&) const { return std::nullopt; }
  std::optional<std::uint64_t> operator()(const StatValue& v) const { return v.count; }
  std::optional<std::uint64_t> operator()(const CountersValue& v) const {
    std::uint64_t all = v.outside;
    for (const auto& [label, count] : v.values) all += count;
    return all;
  }
  std::optional<std::uint64_t> operator()(const MapValue& v) const {
    std::uint64_t all = v.outside;
    for (const MapValue::Cell& cell : v.cells) all += cell.count;
    return all;
  }
  std::optional<std::uint64_t> operator()(const HistogramValue& v) const { return v.total; }
  std::optional<std::uint64_t> operator()(const EventsValue& v) const { return v.posts; }
};

struct Text {
  const SensorFacts& facts;

  std::string operator()(std::monostate) const { return "(of a later version of the tracer)"; }
  std::string operator()(const CounterValue& v) const { return with_unit(v.value, facts.unit); }
  std::string operator()(const GaugeValue& v) const {
    return with_unit(v.value, facts.unit) +
           (v.within() ? "" : fmt::format(" (outside of {} to {})", v.lowest, v.highest));
  }
  std::string operator()(const StatValue& v) const {
    if (v.count == 0) return "no value yet";
    const std::string& unit = facts.unit;
    return fmt::format("{} (min {}, mean {}, max {}, of {}){}", with_unit(v.value, unit), with_unit(v.min, unit),
                       mean_text(mean_of(static_cast<std::int64_t>(v.sum), v.count), unit), with_unit(v.max, unit),
                       v.count, v.settled ? "" : " (while a post was under way)");
  }
  std::string operator()(const CountersValue& v) const {
    return with_unit(Posts{}(v).value_or(0), facts.unit) + " in all";
  }
  std::string operator()(const HistogramValue& v) const {
    if (v.total == 0) return "no value yet";
    std::string text = fmt::format("n={}", v.total);
    if (v.has_moments) text += " min " + with_unit(v.min, facts.unit);
    for (const double part : kQuantiles) text += fmt::format(" p{:g} {}", 100 * part, with_unit(v.quantile(part), facts.unit));
    if (v.has_moments) text += " max " + with_unit(v.max, facts.unit);
    if (v.overflows != 0) text += fmt::format(" ({} beyond the range)", v.overflows);
    if (v.below != 0) text += fmt::format(" ({} below it)", v.below);
    return text;
  }
  std::string operator()(const MapValue& v) const {
    std::uint64_t count = 0;
    for (const MapValue::Cell& cell : v.cells) count += cell.count;
    return fmt::format("n={}", count) + (v.outside != 0 ? fmt::format(" ({} outside of it)", v.outside) : "");
  }
  std::string operator()(const EventsValue& v) const {
    std::string text = fmt::format("{} posts", v.posts);
    if (v.posts > v.slots || v.bytes != 0) text += fmt::format(", and places for the last {}", v.slots);
    if (v.bytes != 0) text += fmt::format(" that have {} bytes together", v.bytes);
    if (v.refused != 0) text += fmt::format(" ({} were too large)", v.refused);
    return text;
  }
};

std::string details_of(const CountersValue& v) {
  std::string text;
  for (const auto& [label, count] : v.values) text += fmt::format("    {:<32} {:>16}\n", label, count);
  if (v.outside != 0) text += fmt::format("    {:<32} {:>16}\n", "(no such index)", v.outside);
  return text;
}

std::string bar(std::uint64_t low, std::uint64_t count, std::uint64_t most, const std::string& unit) {
  const auto length = count == 0 ? 0 : std::max<std::uint64_t>(1, count * kBarWidth / most);
  return fmt::format("    from {:>12} {:>14} {}\n", with_unit(low, unit), count, std::string(length, '#'));
}

// Of a linear one as many buckets together as leave this many lines.
std::string linear_details_of(const HistogramValue& v, const std::string& unit) {
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
std::string details_of(const HistogramValue& v, const std::string& unit) {
  if (v.width != 0) return linear_details_of(v, unit);
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

// A line for each row of cells, from above; a character for each column: how the mean there compares with the largest.
// Of more than fit so many together as leave these.
std::string details_of(const MapValue& v, const std::string& unit) {
  constexpr std::uint64_t kRows = 25, kColumns = 80;
  constexpr std::string_view kShades = ".:-=+*#%@";
  const std::uint64_t tall = (v.y.cells + kRows - 1) / kRows, wide = (v.x.cells + kColumns - 1) / kColumns;
  const std::uint64_t rows = (v.y.cells + tall - 1) / tall, columns = (v.x.cells + wide - 1) / wide;
  std::vector<MapValue::Cell> shown(rows * columns);
  for (std::uint64_t i = 0; i < v.cells.size(); ++i) {
    MapValue::Cell& cell = shown[i / v.x.cells / tall * columns + i % v.x.cells / wide];
    cell.count += v.cells[i].count;
    cell.sum += v.cells[i].sum;
  }
  const auto mean = [](const MapValue::Cell& c) { return static_cast<double>(c.sum) / static_cast<double>(c.count); };
  double most = 0;
  for (const MapValue::Cell& cell : shown)
    if (cell.count != 0) most = std::max(most, mean(cell));
  std::string text = fmt::format("    {}, from below; a mean of {} is {}\n", v.y.name, mean_text(most, unit), kShades.back());
  for (std::uint64_t row = rows; row-- > 0;) {
    std::string line;
    for (std::uint64_t column = 0; column < columns; ++column) {
      const MapValue::Cell& cell = shown[row * columns + column];
      const double part = most > 0 && cell.count != 0 ? mean(cell) / most : 0;
      line += cell.count == 0 ? ' ' : kShades[static_cast<std::size_t>(part * static_cast<double>(kShades.size() - 1))];
    }
    text += fmt::format("    {:>16} |{}|\n", with_unit(v.y.low + row * tall * v.y.width, v.y.unit), line);
  }
  return text + fmt::format("    {:>16}  {}, from {}, {} a column\n", "", v.x.name, with_unit(v.x.low, v.x.unit),
                            with_unit(wide * v.x.width, v.x.unit));
}

struct Json {
  nlohmann::ordered_json operator()(std::monostate) const { return nullptr; }
  nlohmann::ordered_json operator()(const CounterValue& v) const { return {{"count", v.value}}; }
  nlohmann::ordered_json operator()(const GaugeValue& v) const {
    return {{"value", v.value}, {"lowest", v.lowest}, {"highest", v.highest}, {"within", v.within()}};
  }
  nlohmann::ordered_json operator()(const StatValue& v) const {
    nlohmann::ordered_json json{{"count", v.count}, {"settled", v.settled}};
    if (v.count != 0)
      json.update({{"value", v.value}, {"min", v.min}, {"max", v.max}, {"sum", static_cast<std::int64_t>(v.sum)}});
    return json;
  }
  nlohmann::ordered_json operator()(const CountersValue& v) const {
    nlohmann::ordered_json counts = nlohmann::ordered_json::array();
    for (const auto& [label, count] : v.values) counts.push_back({{"label", label}, {"count", count}});
    return {{"counts", counts}, {"outside", v.outside}};
  }
  nlohmann::ordered_json operator()(const HistogramValue& v) const {
    nlohmann::ordered_json bins = nlohmann::ordered_json::array();
    for (std::uint32_t i = 0; i < v.buckets.size(); ++i)
      if (v.buckets[i] != 0)
        bins.push_back({v.low_of(i), v.high_of(i), v.buckets[i]});
    nlohmann::ordered_json json{{"count", v.total}, {"bins", bins}, {"overflow", v.overflows}};
    if (v.width != 0) json["below"] = v.below;
    if (v.has_moments) json.update({{"min", v.min}, {"max", v.max}, {"sum", v.sum}});
    if (v.deviation) json["deviation"] = *v.deviation;
    for (const HistogramValue::Outlier& one : v.outliers)
      json["outliers"].push_back({{"value", one.value}, {"time", one.time}});
    return json;
  }
  // Cells that have something: column, row, count, sum.
  nlohmann::ordered_json operator()(const MapValue& v) const {
    nlohmann::ordered_json cells = nlohmann::ordered_json::array();
    for (std::uint64_t i = 0; i < v.cells.size(); ++i)
      if (v.cells[i].count != 0) cells.push_back({i % v.x.cells, i / v.x.cells, v.cells[i].count, v.cells[i].sum});
    const auto axis = [](const MapValue::Axis& a) -> nlohmann::ordered_json {
      return {{"name", a.name}, {"unit", a.unit}, {"low", a.low}, {"width", a.width}, {"cells", a.cells}};
    };
    return {{"x", axis(v.x)}, {"y", axis(v.y)}, {"cells", cells}, {"outside", v.outside}};
  }
  nlohmann::ordered_json operator()(const EventsValue& v) const {
    nlohmann::ordered_json json{{"posts", v.posts}, {"slots", v.slots}};
    if (v.bytes != 0) json.update({{"bytes", v.bytes}, {"refused", v.refused}});
    return json;
  }
};

// Each event's text is a JSON object: the fields are written as everywhere.
nlohmann::ordered_json events_json(const ListTail& tail) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const std::string& text : tail.texts({.json = true})) events.push_back(nlohmann::ordered_json::parse(text));
  return events;
}

nlohmann::ordered_json books_json(const sensors::EventBooks& books) {
  return {{"posts", books.posts},
          {"delivered", books.delivered},
          {"late", books.late},
          {"overwritten", books.overwritten},
          {"dropped", books.dropped},
          {"unfinished", books.unfinished},
          {"open", books.open},
          {"pending", books.pending}};
}

}  // namespace

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

std::string value_text(const SensorFacts& facts, const sensors::SensorValue& value) {
  return core::printable(std::visit(Text{facts}, value));
}

std::optional<std::uint64_t> posts_of(const sensors::SensorValue& value) {
  return std::visit(Posts{}, value);
}

std::string value_details(const SensorFacts& facts, const sensors::SensorValue& value) {
  if (const auto* counters = std::get_if<CountersValue>(&value)) return details_of(*counters);
  if (const auto* histogram = std::get_if<HistogramValue>(&value)) return details_of(*histogram, facts.unit);
  if (const auto* map = std::get_if<MapValue>(&value)) return details_of(*map, facts.unit);
  return {};
}

std::string values_text(const ChosenSensors& chosen, ListTails& tails) {
  std::size_t width = 0;
  const auto shown = [](const ChosenSensor& sensor) { return sensor.name() + (sensor.ended ? " (ended)" : ""); };
  for (const ChosenSensor& sensor : chosen.sensors) width = std::max(width, shown(sensor).size());
  std::string text;
  for (const ChosenSensor& sensor : chosen.sensors) {
    const sensors::SensorValue value = sensor.value();
    text += fmt::format("{:<{}}  {}\n{}", shown(sensor), width, value_text(*sensor.facts, value),
                        value_details(*sensor.facts, value));
    if (sensors::has_events(sensor.facts->kind)) text += tails.read(sensor).lines();
  }
  return text;
}

nlohmann::ordered_json value_json(const ChosenSensor& sensor, ListTails& tails) {
  const SensorFacts& facts = *sensor.facts;
  nlohmann::ordered_json value = std::visit(Json{}, sensor.value());
  if (sensors::has_events(facts.kind)) {
    const ListTail& tail = tails.read(sensor);
    value["books"] = books_json(tail.books());
    value["events"] = events_json(tail);
  }
  return {{"name", facts.name},   {"kind", sensors::word_of(facts.kind)}, {"unit", facts.unit},
          {"about", facts.about}, {"shared", facts.shared},               {"value", std::move(value)}};
}

}  // namespace maxlat::trace_tools
