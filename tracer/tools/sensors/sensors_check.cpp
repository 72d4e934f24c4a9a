// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/counted.hpp>
#include <string>
#include <utility>
#include <variant>

#include "sensors/chosen_sensors.hpp"
#include "sensors/list_tails.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

struct Judged {
  std::size_t all = 0, wrong = 0;
};

void check_gauge(const ChosenSensor& sensor, Judged& gauges, std::size_t& without_limits) {
  const sensors::SensorValue value = sensor.value();
  const auto& gauge = std::get<sensors::GaugeValue>(value);
  if (!gauge.has_limits()) {
    ++without_limits;
    return;
  }
  ++gauges.all;
  if (gauge.within()) return;
  ++gauges.wrong;
  fmt::print("{}: {}\n", sensor.name(), value_text(*sensor.facts, value));
}

// What became of the posts that a reader who comes now can still learn of. Loss is no fault: a list overwrites.
std::string books_text(const sensors::EventBooks& books) {
  std::string text = fmt::format("{} events are there", books.delivered + books.late);
  const std::pair<std::uint64_t, const char*> rest[] = {{books.dropped, "dropped"},
                                                        {books.open + books.unfinished, "begun and not ended"},
                                                        {books.overwritten, "overwritten while they were read"},
                                                        {books.pending, "posted since"}};
  for (const auto& [count, what] : rest)
    if (count != 0) text += fmt::format(", {} {}", count, what);
  return text;
}

void check_list(const ChosenSensor& sensor, ListTails& tails, Judged& lists) {
  const ListTail& tail = tails.read(sensor);
  ++lists.all;
  fmt::print("{}: {}\n", sensor.name(), books_text(tail.books()));
  if (tail.contradiction().empty()) return;
  ++lists.wrong;
  fmt::print("{}: its memory contradicts itself: {}\n", sensor.name(), tail.contradiction());
}

}  // namespace

core::Result<core::Exit> sensors_check(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors check [SENSOR ...]",
      "Says which gauges are outside of the limits that their program gave them. Says of lists of events what became\n"
      "of the last posts, and whether their memory contradicts itself.\n"
      "Exit status: 0 all are, 1 there is nothing to check, 2 a gauge is outside, 3 a list contradicts itself.",
      "  maxlat sensors check                  all that can be seen\n"
      "  maxlat sensors check 'robot/queue'    one\n"};
  const auto chosen = choose_sensors(kHelp, arguments);
  if (!chosen) return chosen.error();
  if (!*chosen) return core::Exit::pass;
  Judged gauges, lists;
  std::size_t without_limits = 0;
  ListTails tails({.most = 0});
  for (const ChosenSensor& sensor : (*chosen)->sensors) {
    if (sensor.facts->kind == sensors::SensorKind::gauge) check_gauge(sensor, gauges, without_limits);
    if (sensors::has_events(sensor.facts->kind)) check_list(sensor, tails, lists);
  }
  if (gauges.all + lists.all == 0)
    return core::Error{"there is no gauge with limits and no list of events to check",
                       "`maxlat sensors list` shows which sensors there are"};
  if (gauges.all != 0) fmt::print("{} of {} gauges are within their limits\n", gauges.all - gauges.wrong, gauges.all);
  if (without_limits != 0) fmt::print("{} without limits\n", core::counted(without_limits, "gauge"));
  if (lists.all != 0) fmt::print("{} of {} lists are as they should be\n", lists.all - lists.wrong, lists.all);
  if (gauges.wrong != 0) return core::Exit::limit_exceeded;
  return lists.wrong == 0 ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace maxlat::trace_tools
