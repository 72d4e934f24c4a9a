// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/counted.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sensors/chosen_sensors.hpp"
#include "sensors/list_tails.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

struct Judged {
  std::size_t all = 0, wrong = 0;
};

// Of a kind whose values may have limits.
struct JudgedValues : Judged {
  const SensorShow* show = nullptr;
  std::size_t without_limits = 0;

  const char* word() const { return sensors::word_of(show->kind); }
  void check(const ChosenSensor& sensor) {
    const sensors::SensorValue value = sensor.value();
    const Within within = show->within(value);
    if (within == Within::no_limits) {
      ++without_limits;
      return;
    }
    ++all;
    if (within == Within::inside) return;
    ++wrong;
    fmt::print("{}: {}\n", sensor.name(), value_text(*sensor.facts, value));
  }
};

// In the order of the table.
std::vector<JudgedValues> all_with_limits() {
  std::vector<JudgedValues> all;
  for (const SensorShow* show : sensor_show_table())
    if (show->within != nullptr) all.emplace_back().show = show;
  return all;
}

void print(const JudgedValues& judged) {
  if (judged.all != 0)
    fmt::print("{} of {} {}s are within their limits\n", judged.all - judged.wrong, judged.all, judged.word());
  if (judged.without_limits != 0)
    fmt::print("{} without limits\n", core::counted(judged.without_limits, judged.word()));
}

core::Error nothing_to_check(const std::vector<JudgedValues>& values) {
  std::string words;
  for (const JudgedValues& judged : values) words += fmt::format("{}{}", words.empty() ? "" : " or ", judged.word());
  return {fmt::format("there is no {} with limits and no list of events to check", words),
          "`maxlat sensors list` shows which sensors there are"};
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
  std::vector<JudgedValues> values = all_with_limits();
  Judged lists;
  ListTails tails({.most = 0});
  for (const ChosenSensor& sensor : (*chosen)->sensors) {
    for (JudgedValues& judged : values)
      if (judged.show->kind == sensor.facts->kind) judged.check(sensor);
    if (sensors::has_events(sensor.facts->kind)) check_list(sensor, tails, lists);
  }
  Judged limited;
  for (const JudgedValues& judged : values) {
    limited.all += judged.all;
    limited.wrong += judged.wrong;
  }
  if (limited.all + lists.all == 0) return nothing_to_check(values);
  for (const JudgedValues& judged : values) print(judged);
  if (lists.all != 0) fmt::print("{} of {} lists are as they should be\n", lists.all - lists.wrong, lists.all);
  if (limited.wrong != 0) return core::Exit::limit_exceeded;
  return lists.wrong == 0 ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace maxlat::trace_tools
