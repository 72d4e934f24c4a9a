// SPDX-License-Identifier: MIT
#include "sensors/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::CountersValue;
using sensors::CounterValue;
using sensors::EventsValue;
using sensors::GaugeValue;
using sensors::HistogramValue;
using sensors::SensorFacts;
using sensors::StatValue;

constexpr double kQuantiles[] = {0.5, 0.99, 0.999};
constexpr int kBarWidth = 50;

template <class Number>
std::string with_unit(Number number, const std::string& unit) {
  if (unit == "ns") return core::latency_text(static_cast<double>(number));
  return unit.empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, unit);
}

double mean_of(std::int64_t sum, std::uint64_t count) {
  return static_cast<double>(sum) / static_cast<double>(count);
}

std::string mean_text(double mean, const std::string& unit) {
  if (unit == "ns") return core::latency_text(mean);
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
    return text;
  }
  std::string operator()(const EventsValue& v) const {
    return v.posts <= v.slots ? fmt::format("{} posts", v.posts)
                              : fmt::format("{} posts, and places for the last {}", v.posts, v.slots);
  }
};

std::string details_of(const CountersValue& v) {
  std::string text;
  for (const auto& [label, count] : v.values) text += fmt::format("    {:<32} {:>16}\n", label, count);
  if (v.outside != 0) text += fmt::format("    {:<32} {:>16}\n", "(no such index)", v.outside);
  return text;
}

// A bar for each octave: 1, 2-3, 4-7, ... has the same relative width everywhere.
std::string details_of(const HistogramValue& v, const std::string& unit) {
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
    const auto length = octaves[octave] == 0 ? 0 : std::max<std::uint64_t>(1, octaves[octave] * kBarWidth / most);
    text += fmt::format("    from {:>12} {:>14} {}\n", with_unit(low, unit), octaves[octave], std::string(length, '#'));
  }
  return text;
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
        bins.push_back({maxlat_shape_low(v.shape, i), maxlat_shape_high(v.shape, i), v.buckets[i]});
    nlohmann::ordered_json json{{"count", v.total}, {"bins", bins}, {"overflow", v.overflows}};
    if (v.has_moments) json.update({{"min", v.min}, {"max", v.max}, {"sum", v.sum}});
    return json;
  }
  nlohmann::ordered_json operator()(const EventsValue& v) const { return {{"posts", v.posts}, {"slots", v.slots}}; }
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

std::string value_text(const SensorFacts& facts, const sensors::SensorValue& value) {
  return core::printable(std::visit(Text{facts}, value));
}

std::optional<std::uint64_t> posts_of(const sensors::SensorValue& value) {
  return std::visit(Posts{}, value);
}

std::string value_details(const SensorFacts& facts, const sensors::SensorValue& value) {
  if (const auto* counters = std::get_if<CountersValue>(&value)) return details_of(*counters);
  if (const auto* histogram = std::get_if<HistogramValue>(&value)) return details_of(*histogram, facts.unit);
  return {};
}

std::string values_text(const ChosenSensors& chosen, ListTails& tails) {
  std::size_t width = 0;
  for (const ChosenSensor& sensor : chosen.sensors) width = std::max(width, sensor.name().size());
  std::string text;
  for (const ChosenSensor& sensor : chosen.sensors) {
    const sensors::SensorValue value = sensor.value();
    text += fmt::format("{:<{}}  {}\n{}", sensor.name(), width, value_text(*sensor.facts, value),
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
