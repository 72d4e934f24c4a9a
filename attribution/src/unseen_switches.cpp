// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/attribution/unseen_switches.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <utility>

namespace maxlat::attribution {

namespace {

std::optional<int32_t> running_in(const KernelEvent& event) {
  return event.running < 0 ? std::nullopt : std::optional(event.running);
}

// A switch tells itself who comes; of who leaves nothing is known before it.
bool shows_switch(std::optional<int32_t> before, const KernelEvent& event) {
  if (!running_in(event)) return false;
  return before ? *before != event.running : event.kind != EventKind::task_switch;
}

}  // namespace

void UnseenSwitches::add(KernelEvent event, std::vector<KernelEvent>& events) {
  if (event.kind == EventKind::hole) {
    running_.reset();
  } else if (const auto before = std::exchange(running_, running_in(event)); shows_switch(before, event)) {
    const Thread thread = thread_of(event.running);
    events.push_back({.tick = !before || was_switch_ ? event.tick : last_tick_,
                      .number = event.running,
                      .priority = thread.priority,
                      .running = before.value_or(event.running),
                      .kind = EventKind::task_switch,
                      .name = thread.name});
  }
  if (event.kind == EventKind::rename) event.priority = thread_of(event.number).priority;  // which it does not tell
  learn(event);
  was_switch_ = event.kind == EventKind::task_switch;
  last_tick_ = event.tick;
  events.push_back(event);
}

UnseenSwitches::Thread UnseenSwitches::thread_of(int32_t number) const {
  const auto known = threads_.find(number);
  return known != threads_.end() ? known->second : look_up_(number);
}

void UnseenSwitches::learn(const KernelEvent& event) {
  if (event.kind == EventKind::task_switch) running_ = event.number;
  if (event.kind != EventKind::task_switch && event.kind != EventKind::waking && event.kind != EventKind::rename)
    return;
  if (threads_.size() >= kMostThreads) threads_.clear();
  threads_[event.number] = {event.name, event.priority};
}

UnseenSwitches::Thread thread_of_proc(int32_t number) {
  const auto text = core::read_file(fmt::format("/proc/{}/stat", number));
  const auto stat = text ? core::parse_task_stat(*text) : std::nullopt;
  if (!stat) return {.name = ShortName("(unknown)")};
  UnseenSwitches::Thread thread{.name = ShortName(stat->name)};
  if (stat->real_time_priority > 0) thread.priority = 99 - stat->real_time_priority;
  return thread;
}

}  // namespace maxlat::attribution
