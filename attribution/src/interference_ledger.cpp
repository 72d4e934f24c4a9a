// SPDX-License-Identifier: MIT
#include "interference_ledger.hpp"

#include <algorithm>
#include <maxlat/attribution/kernel_symbols.hpp>

#include "context.hpp"

namespace maxlat::attribution {

void InterferenceLedger::begin(uint64_t tick, int32_t thread) {
  begun_ = true;
  thread_ = thread;
  from_ = mark_ = std::max(tick, mark_);
}

void InterferenceLedger::see(std::span<const KernelEvent> events) {
  for (const KernelEvent& event : events) {
    if (closed_) return;
    const bool behind = event.tick > end_;
    if (!behind || event.kind == EventKind::hole) see(event);
    if (behind) return close();
  }
}

void InterferenceLedger::see(const KernelEvent& event) {
  if (is_only_told(event.kind)) return;
  switch (event.kind) {
    case EventKind::hole:
      leave_all();
      task_ = {event};
      return go_on_until(std::min(event.tick, end_));  // what is lost may have begun before
    case EventKind::nmi: {
      const auto length = static_cast<uint64_t>(static_cast<double>(event.value) * ticks_per_ns_);
      go_on_until(event.tick - std::min(length, event.tick));
      inner_.push_back({event});
      go_on_until(event.tick);
      return leave_inner(inner_.size() - 1);
    }
    case EventKind::task_switch:
      go_on_until(event.tick);
      leave_all();
      task_ = {event};
      return;
    case EventKind::waking:
    case EventKind::timer_set:
      return;
    case EventKind::rename:
      go_on_until(event.tick);
      if (task_.opened.kind != EventKind::task_switch || task_.opened.number != event.number) return;
      leave(task_);
      task_.opened.name = event.name;
      task_.ticks = 0;
      return;
    case EventKind::page_fault:
      go_on_until(event.tick);
      if (begun_ && event.tick > from_ && inner_.empty() && task_.opened.kind == EventKind::task_switch &&
          task_.opened.number == thread_)
        add({event.kind, 0, 0, {}}, 0);
      return;
    default:
      go_on_until(event.tick);
      return is_exit(event.kind) ? see_exit(event) : see_entry(event);
  }
}

// An interrupt or softirq is never within itself: where it seems to be, its exit was not recorded. It would have all
// time up to the next switch, which on an isolated CPU may never come.
void InterferenceLedger::see_entry(const KernelEvent& event) {
  const auto itself = std::find_if(inner_.begin(), inner_.end(), [&](const Context& context) {
    return has_a_number(event.kind) && context.opened.kind == event.kind && context.opened.number == event.number;
  });
  leave_inner(static_cast<size_t>(itself - inner_.begin()));
  inner_.push_back({event});
}

// One without an entry: the entry is lost, or a switch was in between.
void InterferenceLedger::see_exit(const KernelEvent& event) {
  const auto opened = std::find_if(inner_.rbegin(), inner_.rend(), [&](const Context& context) {
    return ends(event, context.opened.kind, context.opened.number);
  });
  if (opened != inner_.rend()) leave_inner(static_cast<size_t>(inner_.rend() - opened) - 1);
}

void InterferenceLedger::go_on_until(uint64_t tick) {
  if (tick <= mark_) return;
  if (begun_) (inner_.empty() ? task_ : inner_.back()).ticks += tick - mark_;
  mark_ = tick;
}

// All that is deeper than `depth`.
void InterferenceLedger::leave_inner(size_t depth) {
  for (; inner_.size() > depth; inner_.pop_back()) leave(inner_.back());
}

void InterferenceLedger::leave_all() {
  leave_inner(0);
  leave(task_);
}

void InterferenceLedger::leave(const Context& context) {
  if (!begun_ || mark_ <= from_) return;
  const KernelEvent& opened = context.opened;
  const bool is_task = opened.kind == EventKind::task_switch;
  if (is_task && (opened.number == thread_ || opened.number == 0)) {
    undisturbed_ += context.ticks;
  } else if (opened.kind != EventKind::hole || context.ticks > 0) {
    add(key_of(opened), context.ticks);
  }
}

// A task is known by its name, whatever number it has: a run may see a thousand of one name.
InterferenceLedger::Key InterferenceLedger::key_of(const KernelEvent& event) {
  if (event.kind == EventKind::task_switch) return {event.kind, 1, 0, event.name};
  if (event.kind == EventKind::nmi || event.kind == EventKind::hole) return {event.kind, 0, 0, {}};
  return {event.kind, event.number, event.value, event.name};
}

void InterferenceLedger::add(Key key, uint64_t ticks) {
  if (sums_.size() >= most_names_ && !sums_.contains(key)) key = {std::get<EventKind>(key), kOthers, 0, {}};
  Sum& sum = sums_[key];
  ++sum.count;
  sum.ticks += ticks;
  sum.largest = std::max(sum.largest, ticks);
}

// Where the events were not read to the end, the last of them is the end.
void InterferenceLedger::close() {
  if (closed_) return;
  if (end_ != UINT64_MAX) go_on_until(end_);
  leave_all();
  closed_ = true;
}

std::vector<uint64_t> InterferenceLedger::functions() const {
  std::vector<uint64_t> all;
  for (const auto& [key, sum] : sums_)
    if (std::get<uint64_t>(key) != 0) all.push_back(std::get<uint64_t>(key));
  return all;
}

core::CpuInterference InterferenceLedger::told(unsigned cpu, const std::map<uint64_t, std::string>& functions) const {
  const auto ns = [&](uint64_t ticks) { return static_cast<double>(ticks) / ticks_per_ns_; };
  core::CpuInterference all{.cpu = cpu, .watched_ns = ns(mark_ - from_), .undisturbed_ns = ns(undisturbed_)};
  for (const auto& [key, sum] : sums_) {
    const auto& [kind, number, function, name] = key;
    const Part part = part_of({.value = function, .number = number, .kind = kind, .name = name});
    core::InterferenceRow row{.kind = part.kind, .name = with_function(part.name, part.function, functions)};
    if (kind == EventKind::task_switch) row.name = name.text();
    if (number == kOthers) row.name = core::InterferenceRow::kOthers;
    // Two of one name: a vector for one function and one for several, static functions of two files.
    auto same = std::find_if(all.rows.begin(), all.rows.end(), [&](const core::InterferenceRow& other) {
      return other.kind == row.kind && other.name == row.name;
    });
    if (same == all.rows.end()) same = all.rows.insert(same, std::move(row));
    same->count += sum.count;
    same->ns += ns(sum.ticks);
    same->largest_ns = std::max(same->largest_ns, ns(sum.largest));
  }
  std::stable_sort(all.rows.begin(), all.rows.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return all;
}

}  // namespace maxlat::attribution
