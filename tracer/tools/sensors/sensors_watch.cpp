// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/text.hpp>
#include <utility>

#include "sensors/chosen_sensors.hpp"
#include "sensors/merged_lists.hpp"
#include "sensors/merged_lists_printer.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

struct WatchPlan {
  std::vector<std::string> patterns;
  std::uint64_t interval_ns = 1'000'000'000;
  std::uint64_t looks = 0;  // 0: until it is stopped
  std::size_t events = 0;   // of each list
  bool merged = false;
  bool wait = false;
};

core::Result<std::optional<WatchPlan>> watch_plan(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors watch [SENSOR ...]",
      "Prints the values of sensors again and again, on a terminal in place; of lists what came since the last look.\n"
      "Programs that begin meanwhile are seen, and of those that end it says so, and waits for the next.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].",
      "  maxlat sensors watch robot               once a second, until it is interrupted\n"
      "  maxlat sensors watch --wait 'npt-cpu*'   those of a run that has not begun yet\n"
      "  maxlat sensors watch --merged 'robot/*' 'server/*'   the events of all their lists, in the order of time\n"};
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("interval,i", core::argument("TIME")->default_value("1s"), "from one look to the next");
  add("loops,l", core::argument<std::uint64_t>("N"), "so many looks");
  add_events_option(options);
  add("wait", "where there is none yet, too");
  add("merged", "the events of all lists alone, in one order, each with its list");
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<WatchPlan>{};
  WatchPlan plan{.patterns = (*line)->operands};
  const core::TimeOption times[] = {{"interval", core::kUnitNeeded, plan.interval_ns, 'i'}};
  if (const core::Status taken = core::take_times(**line, times); !taken) return taken.error();
  plan.events = (*line)->get<std::uint64_t>("events");
  if ((*line)->has("loops")) plan.looks = (*line)->get<std::uint64_t>("loops");
  plan.merged = (*line)->has("merged");
  plan.wait = (*line)->has("wait");
  if (plan.merged && (*line)->given("events"))
    return core::Error{"--events and --merged do not go together", "--merged shows all that come"};
  if ((*line)->has("loops") && plan.looks == 0) return core::Error{"--loops: must be above 0"};
  return std::optional(std::move(plan));
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

core::Status write_out(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return {};
  return core::system_error("cannot write standard output", errno);
}

// As often as it was asked for, or until somebody stops it.
template <class Look>
core::Result<core::Exit> look_again_and_again(const WatchPlan& plan, const Look& look) {
  core::catch_stop_signals();
  const auto interval = std::chrono::nanoseconds(plan.interval_ns);
  auto next = std::chrono::steady_clock::now();
  for (std::uint64_t number = 1;; ++number) {
    if (const core::Status looked = look(); !looked) return looked.error();
    next += interval;
    if (number == plan.looks || !core::rest_until(next)) return core::Exit::pass;
  }
}

// The sensors at each look. What a pattern names must be there at the first, unless the user waits for it; then it may
// go and come.
class WatchedSensors {
 public:
  explicit WatchedSensors(const WatchPlan& plan) : plan_(plan), may_miss_(plan.wait) {}

  core::Result<ChosenSensors> look() {
    auto chosen = may_miss_ ? sensors_now(plan_.patterns, &missing_) : choose_sensors(plan_.patterns, Looks::again);
    if (!chosen) return chosen;
    may_miss_ = true;
    std::map<SensorKey, std::string> now;
    for (const ChosenSensor& sensor : chosen->sensors)
      if (!sensors::has_events(sensor.facts->kind)) now.emplace(sensor.key(), sensor.name());
    ended_.clear();
    for (const auto& [key, name] : values_)
      if (!now.contains(key)) ended_ += fmt::format("{}  has ended\n", name);
    values_ = std::move(now);
    return chosen;
  }

  // Of values; of a list ListTails tell, with its last events.
  const std::string& ended() const { return ended_; }
  std::string waits() const {
    std::string text;
    for (const std::string& pattern : missing_) text += fmt::format("--- waiting for {}\n", core::printable(pattern));
    return text;
  }

 private:
  const WatchPlan& plan_;
  bool may_miss_;
  std::vector<std::string> missing_;
  std::map<SensorKey, std::string> values_;
  std::string ended_;
};

core::Result<core::Exit> watch_values(const WatchPlan& plan) {
  const bool in_place = isatty(STDOUT_FILENO) != 0;
  ListTails tails({.most = plan.events, .again = in_place, .patience_ns = kPatience.count()});
  WatchedSensors watched(plan);
  return look_again_and_again(plan, [&]() -> core::Status {
    const auto chosen = watched.look();
    if (!chosen) return chosen.error();
    const std::string values = values_text(*chosen, tails);
    return write_out(fmt::format("{}# {}\n{}{}{}{}", in_place ? "\x1b[H\x1b[2J" : "", time_of_day(), values,
                                 watched.ended(), tails.ended(), watched.waits()));
  });
}

// What has values only would be shown never: each pattern names a list, or nothing at all does.
core::Status names_lists(const std::vector<std::string>& patterns, const ChosenSensors& chosen) {
  const auto is_list = [](const ChosenSensor& sensor) { return sensors::has_events(sensor.facts->kind); };
  const auto& all = chosen.sensors;
  if (patterns.empty() && std::none_of(all.begin(), all.end(), is_list))
    return core::Error{"--merged shows the events of lists, and there is none", "--wait waits for one"};
  for (const std::string& pattern : patterns)
    if (std::none_of(all.begin(), all.end(), [&](const ChosenSensor& sensor) {
          return is_list(sensor) && sensors::matches(pattern, *sensor.group, *sensor.facts);
        }))
      return core::Error{fmt::format("--merged shows the events of lists, and \"{}\" is none", pattern),
                         "leave out --merged to see its values"};
  return {};
}

core::Result<core::Exit> watch_merged(const WatchPlan& plan) {
  MergedListsPrinter printer(kPatience);
  WatchedSensors watched(plan);
  std::string told;
  bool may_be_values = plan.wait;
  const auto ended = look_again_and_again(plan, [&]() -> core::Status {
    const auto chosen = watched.look();
    if (!chosen) return chosen.error();
    if (!std::exchange(may_be_values, true))
      if (const core::Status lists = names_lists(plan.patterns, *chosen); !lists) return lists;
    const std::string waits = watched.waits();
    const std::string text = printer.look(*chosen);
    return write_out(std::exchange(told, waits) == waits ? text : text + waits);
  });
  const core::Status written = write_out(printer.rest());
  if (ended && !written) return written.error();
  return ended;
}

}  // namespace

core::Result<core::Exit> sensors_watch(const core::Arguments& arguments) {
  const auto plan = watch_plan(arguments);
  if (!plan) return plan.error();
  if (!*plan) return core::Exit::pass;
  return (*plan)->merged ? watch_merged(**plan) : watch_values(**plan);
}

}  // namespace maxlat::trace_tools
