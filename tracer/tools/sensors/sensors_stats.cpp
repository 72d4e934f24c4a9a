// SPDX-License-Identifier: MIT
//
// `maxlat sensors stats`. Pohlack 2010 has the size of a list that rules out loss as a matter of the most events in a
// reader's period; here that is what was really seen: the most posts from one look to the next, and two more, for the
// one that is being written and the one that is being read.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <optional>

#include "sensors/chosen_sensors.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kBesideThem = 2, kMostSlots = 1ull << 62;

struct StatsPlan {
  std::vector<std::string> patterns;
  std::uint64_t interval_ns = 10'000'000;
  std::uint64_t duration_ns = 1'000'000'000;
  bool wait = false, json = false;
};

core::Result<std::optional<StatsPlan>> stats_plan(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors stats [-i TIME] [-D TIME] [SENSOR ...]",
      "Looks at sensors again and again, and says how often they were posted to. Of a list of events also what a\n"
      "reader that looks as often loses, and how many slots would have lost it nothing.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].",
      "  maxlat sensors stats -D 10s robot             of one program, for ten seconds\n"
      "  maxlat sensors stats -i 1s -D 1m 'robot/*'    how large its lists should be for a look once a second\n"};
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("interval,i", core::argument("TIME")->default_value("10ms"), "from one look to the next");
  add("duration,D", core::argument("TIME")->default_value("1s"), "for so long (a bare number: s), or until SIGINT");
  add("wait", "begin when each SENSOR is there: until then its program may not have started");
  add("json", "a JSON list on standard output");
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<StatsPlan>{};
  StatsPlan plan{.patterns = (*line)->operands, .wait = (*line)->has("wait"), .json = (*line)->has("json")};
  const core::TimeOption times[] = {{"interval", core::kUnitNeeded, plan.interval_ns, 'i'},
                                    {"duration", "s", plan.duration_ns, 'D'}};
  if (const core::Status taken = core::take_times(**line, times); !taken) return taken.error();
  if (plan.interval_ns > plan.duration_ns)
    return core::Error{"-i, --interval is longer than -D, --duration", "no look would be taken"};
  return std::optional(std::move(plan));
}

// One sensor, from the first look to the last.
class Watched {
 public:
  explicit Watched(const ChosenSensor& sensor) : sensor_(sensor), first_(posts_now()), last_(first_) {
    if (!sensors::has_events(sensor.facts->kind)) return;
    reader_.emplace(sensor.group->events(*sensor.facts));
    slots_ = std::get<sensors::EventsValue>(sensor.value()).slots;
    take();
    lost_before_ = reader_->books().lost();
    first_ = last_ = posts_now();
  }

  void look() {
    ++looks_;
    const auto now = posts_now();
    if (now) most_ = std::max(most_, *now - *last_);
    last_ = now;
    if (reader_) take();
  }
  const ChosenSensor& sensor() const { return sensor_; }
  std::optional<std::uint64_t> posts() const { return last_ ? std::optional(*last_ - *first_) : std::nullopt; }
  bool is_list() const { return reader_.has_value(); }
  std::uint64_t looks() const { return looks_; }
  std::uint64_t lost() const { return reader_->books().lost() - lost_before_; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t most() const { return most_; }
  // A power of two, as lists have; a broken program may seem to post more than there are. 0: nothing was posted, so
  // nothing is known.
  std::uint64_t slots_needed() const {
    return most_ == 0 ? 0 : std::bit_ceil(std::min(most_, kMostSlots) + kBesideThem);
  }

 private:
  std::optional<std::uint64_t> posts_now() const { return posts_of(*sensor_.facts, sensor_.value()); }
  void take() {
    reader_->read_all(0, false, [](const sensors::ListedEvent&) {});
  }

  ChosenSensor sensor_;
  std::optional<std::uint64_t> first_, last_;
  std::optional<sensors::EventReader> reader_;  // of a list
  std::uint64_t slots_ = 0, most_ = 0, lost_before_ = 0, looks_ = 0;
};

// For so long, or until somebody stops it. RETURNS: seconds.
double watch(std::vector<Watched>& all, const StatsPlan& plan) {
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::nanoseconds(plan.duration_ns);
  bool goes_on = true;
  for (auto next = begin; goes_on && next < end;) {
    next = std::min(next + std::chrono::nanoseconds(plan.interval_ns), end);
    goes_on = core::rest_until(next);
    for (Watched& one : all) one.look();
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string table_of(const std::vector<Watched>& all, double seconds) {
  core::TextTable table({"sensor", "kind", "posts", "posts/s", "most in a look", "lost", "slots", "slots needed"});
  for (const Watched& one : all) {
    const auto posts = one.posts();
    const auto of_list = [&](std::uint64_t number) { return one.is_list() ? std::to_string(number) : "-"; };
    table.row({one.sensor().name(), sensors::word_of(one.sensor().facts->kind), posts ? std::to_string(*posts) : "-",
               posts ? fmt::format("{:.6g}", static_cast<double>(*posts) / seconds) : "-",
               posts ? std::to_string(one.most()) : "-", of_list(one.is_list() ? one.lost() : 0), of_list(one.slots()),
               one.slots_needed() == 0 ? "-" : of_list(one.slots_needed())});
  }
  return table.text(UINT_MAX, "");
}

std::string json_of(const std::vector<Watched>& all, double seconds) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Watched& one : all) {
    nlohmann::ordered_json row{
        {"sensor", one.sensor().name()}, {"kind", sensors::word_of(one.sensor().facts->kind)}, {"seconds", seconds}};
    row["looks"] = one.looks();
    if (one.posts()) row.update({{"posts", *one.posts()}, {"most_in_a_look", one.most()}});
    if (one.is_list()) row.update({{"lost", one.lost()}, {"slots", one.slots()}, {"slots_needed", one.slots_needed()}});
    list.push_back(std::move(row));
  }
  return list.dump(2) + "\n";
}

// With --wait until each of them is there, or somebody wants the end: then there may be none.
core::Result<ChosenSensors> sensors_of(const StatsPlan& plan) {
  constexpr std::chrono::milliseconds kLookAgain{20};
  if (!plan.wait) return choose_sensors(plan.patterns);
  for (;;) {
    std::vector<std::string> missing;
    auto now = sensors_now(plan.patterns, &missing);
    if (!now || (missing.empty() && !now->sensors.empty()) || !core::rest_until(Clock::now() + kLookAgain)) return now;
  }
}

}  // namespace

core::Result<core::Exit> sensors_stats(const core::Arguments& arguments) {
  const auto plan = stats_plan(arguments);
  if (!plan) return plan.error();
  if (!*plan) return core::Exit::pass;
  core::catch_stop_signals();
  const auto chosen = sensors_of(**plan);
  if (!chosen) return chosen.error();
  if (chosen->sensors.empty()) return core::Error{"there is no sensor to look at" + of_other_users()};
  std::vector<Watched> all;
  for (const ChosenSensor& sensor : chosen->sensors) all.emplace_back(sensor);
  const double seconds = watch(all, **plan);
  fmt::print("{}", (*plan)->json ? json_of(all, seconds) : table_of(all, seconds));
  return core::Exit::pass;
}

}  // namespace maxlat::trace_tools
