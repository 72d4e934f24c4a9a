// SPDX-License-Identifier: MIT
#include "sensors/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::SensorFacts;

// Each event's text is a JSON object: the fields are written as everywhere.
nlohmann::ordered_json events_json(const ListTail& tail) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const std::string& text : tail.texts({.json = true})) events.push_back(nlohmann::ordered_json::parse(text));
  return events;
}

nlohmann::ordered_json books_json(const sensors::EventBooks& books) {
  return {{"posts", books.posts},     {"delivered", books.delivered},
          {"late", books.late},       {"overwritten", books.overwritten},
          {"dropped", books.dropped}, {"unfinished", books.unfinished},
          {"open", books.open},       {"pending", books.pending}};
}

}  // namespace

std::string value_text(const SensorFacts& facts, const sensors::SensorValue& value) {
  return core::printable(show_of(facts.kind).line(facts, value));
}

std::optional<std::uint64_t> posts_of(const SensorFacts& facts, const sensors::SensorValue& value) {
  const auto posts = show_of(facts.kind).posts;
  return posts == nullptr ? std::nullopt : std::optional(posts(value));
}

std::string values_text(const ChosenSensors& chosen, ListTails& tails) {
  std::size_t width = 0;
  const auto shown = [](const ChosenSensor& sensor) { return sensor.name() + (sensor.ended ? " (ended)" : ""); };
  for (const ChosenSensor& sensor : chosen.sensors) width = std::max(width, shown(sensor).size());
  std::string text;
  for (const ChosenSensor& sensor : chosen.sensors) {
    // Of a list the events first: so its count is of these, at least.
    const ListTail* const tail = sensors::has_events(sensor.facts->kind) ? &tails.read(sensor) : nullptr;
    const sensors::SensorValue value = sensor.value();
    text += fmt::format("{:<{}}  {}\n", shown(sensor), width, value_text(*sensor.facts, value));
    const auto details = show_of(sensor.facts->kind).details;
    if (details != nullptr) text += details(*sensor.facts, value);
    if (tail != nullptr) text += tail->lines();
  }
  return text;
}

nlohmann::ordered_json about_json(const ChosenSensor& sensor) {
  const SensorFacts& facts = *sensor.facts;
  nlohmann::ordered_json about{
      {"program", sensor.group->program()}, {"pid", sensor.group->pid()}, {"group", sensor.group->group()}};
  if (sensor.ended) about["ended"] = true;
  if (sensor.ended_ns != 0) about["ended_ns"] = sensor.ended_ns;
  about.update(nlohmann::ordered_json{{"name", facts.name},
                                      {"id", facts.id},
                                      {"kind", sensors::word_of(facts.kind)},
                                      {"unit", facts.unit},
                                      {"about", facts.about},
                                      {"shared", facts.shared}});
  return about;
}

nlohmann::ordered_json value_json(const ChosenSensor& sensor, ListTails& tails) {
  const SensorFacts& facts = *sensor.facts;
  const ListTail* const tail = sensors::has_events(facts.kind) ? &tails.read(sensor) : nullptr;  // as above
  nlohmann::ordered_json value = show_of(facts.kind).json(sensor.value());
  if (tail != nullptr) {
    value["books"] = books_json(tail->books());
    value["events"] = events_json(*tail);
  }
  nlohmann::ordered_json whole = about_json(sensor);
  whole["value"] = std::move(value);
  return whole;
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace maxlat::trace_tools
