// SPDX-License-Identifier: MIT
#include "sensors/list_tails.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/text.hpp>

#include "sensors/listed_fields.hpp"

namespace maxlat::trace_tools {
void add_events_option(boost::program_options::options_description& options) {
  options.add_options()("events", core::argument<std::uint64_t>("N")->default_value(TailStyle{}.most),
                        "of each list the last N events");
}

ListTail::ListTail(const ChosenSensor& sensor, const TailStyle& style)
    : reader_(sensor.group->events(*sensor.facts, style.patience_ns)), style_(style) {}

void ListTail::read(const sensors::EventClock& clock, bool ended) {
  if (!style_.again) kept_.clear();
  fresh_ = 0;
  const sensors::EventBooks before = reader_.books();
  reader_.read_all(base::monotonic_ns(), ended, [&](const sensors::ListedEvent& event) {
    ++fresh_;
    judge(event);
    keep(event, clock.realtime_ns(event.ticks));
  });
  const sensors::EventBooks after = reader_.books();
  if (!after.balance()) contradiction_ = "its books do not balance";
  lost_.overwritten = after.overwritten - before.overwritten;
  lost_.dropped = after.dropped - before.dropped;
  lost_.unfinished = after.unfinished - before.unfinished;
}

void ListTail::judge(const sensors::ListedEvent& event) {
  if (event.type == nullptr) {
    contradiction_ = "an event is of a type that the list does not have";
    return;
  }
  if (!fields_of(event)) contradiction_ = "an event does not have all its fields";
  if (event.late) return;
  if (event.ticks < last_ticks_) contradiction_ = "time goes back from one event to the next";
  last_ticks_ = event.ticks;
}

void ListTail::keep(const sensors::ListedEvent& event, std::int64_t time_ns) {
  kept_.push_back({time_ns, event, {event.payload.begin(), event.payload.end()}});
  kept_.back().event.payload = kept_.back().payload;
  if (kept_.size() > style_.most) kept_.pop_front();
}

std::vector<std::string> ListTail::texts(PrintStyle style) const {
  ListedEventPrinter printer(reader_.types(), style);
  std::vector<std::string> all;
  for (const Kept& kept : kept_) all.push_back(printer.text(kept.event, kept.time_ns));
  return all;
}

std::string ListTail::lines() const {
  std::string text;
  if (!style_.again && !kept_.empty() && fresh_ > kept_.size())
    text += fmt::format("    ({} more before these)\n", fresh_ - kept_.size());
  const std::pair<std::uint64_t, const char*> losses[] = {{lost_.overwritten, "overwritten before they were read"},
                                                          {lost_.dropped, "dropped by the program"},
                                                          {lost_.unfinished, "not ended in time"}};
  for (const auto& [count, how] : losses)
    if (count != 0) text += fmt::format("    ({} {})\n", count, how);
  for (const std::string& one : texts({})) text += "    " + one + "\n";
  return text;
}

ListTail& ListTails::read(const ChosenSensor& sensor) {
  auto entry = lists_.find(sensor.key());
  if (entry == lists_.end()) entry = lists_.emplace(sensor.key(), Entry{sensor.name(), ListTail(sensor, style_)}).first;
  entry->second.seen = true;
  entry->second.tail.read(clock(), sensor.ended);
  return entry->second.tail;
}

std::string ListTails::ended() {
  std::string text;
  for (auto entry = lists_.begin(); entry != lists_.end();) {
    if (std::exchange(entry->second.seen, false)) {
      ++entry;
      continue;
    }
    entry->second.tail.read(clock(), true);
    text += fmt::format("{}  has ended\n{}", entry->second.name,
                        entry->second.tail.any_fresh() ? entry->second.tail.lines() : "");
    entry = lists_.erase(entry);
  }
  return text;
}

const sensors::EventClock& ListTails::clock() {
  if (!clock_)
    clock_.emplace();
  else
    clock_->read_again();
  return *clock_;
}

}  // namespace maxlat::trace_tools
