// SPDX-License-Identifier: MIT
#include "late_wakeups.hpp"

#include <algorithm>

#include "context.hpp"

namespace maxlat::attribution {
namespace {

using core::TimeClass;

uint64_t length_of(const Wakeup& wakeup) {
  return wakeup.back - wakeup.due;
}

// Behind the waking of a thread by its timer: neither the rest of that interrupt, nor an idle CPU on its way.
bool is_of_another(const Part& part, const Wakeup& wakeup) {
  switch (part.kind) {
    case TimeClass::local_timer:
    case TimeClass::around:
    case TimeClass::before_history:
    case TimeClass::nothing_seen:
      return false;
    case TimeClass::hrtimer:
      return part.function != wakeup.function;
    case TimeClass::task:
      return part.name != core::kIdleTask;
    default:
      return true;
  }
}

}  // namespace

void LateWakeups::offer(const Wakeup& wakeup, int32_t thread, const CpuHistory& history) {
  const auto before = [](const Kept& other, uint64_t length) { return length_of(other.wakeup) >= length; };
  const auto place = std::lower_bound(kept_.begin(), kept_.end(), length_of(wakeup), before);
  if (static_cast<size_t>(place - kept_.begin()) >= most_ || length_of(wakeup) == 0) return;
  Interval interval{.from = wakeup.due,
                    .to = wakeup.back,
                    .thread = thread,
                    .around_at_most = static_cast<uint64_t>(kAroundAtMost_ns * ticks_per_ns_),
                    .ticks_per_ns = ticks_per_ns_,
                    .begins_asleep = true,
                    .timer_is_due = true,
                    .back_from = wakeup.ran,
                    .back_at_most = static_cast<uint64_t>(kSwitchAtMost_ns * ticks_per_ns_)};
  Kept kept{.wakeup = wakeup, .whole = history.accounted(interval)};
  interval.from = wakeup.woken;
  for (const Part& part : history.accounted(interval).parts) {
    if (part.kind == TimeClass::before_history && history.has_forgotten()) return;
    if (is_of_another(part, wakeup)) kept.others += part.ticks;
  }
  around_.see(kept.whole);
  kept_.insert(place, std::move(kept));
  if (kept_.size() > most_) kept_.pop_back();
}

void LateWakeups::tighten_around_of_all(const LongestWays& longest) {
  for (Kept& kept : kept_) tighten_around(longest, kept.whole);
}

void LateWakeups::name_smis_of(std::span<const SmiWindow> windows) {
  std::vector<Accounting*> accountings;
  for (Kept& kept : kept_) accountings.push_back(&kept.whole);
  name_smis(windows, accountings);
}

std::vector<uint64_t> LateWakeups::functions() const {
  std::vector<uint64_t> all;
  for (const Kept& kept : kept_)
    for (const Part& part : kept.whole.parts) all.insert(all.end(), {part.function, part.waker_function});
  std::erase(all, 0);
  return all;
}

std::vector<uint64_t> LateWakeups::senders() const {
  std::vector<uint64_t> all;
  for (const Kept& kept : kept_)
    for (const Part& part : kept.whole.parts)
      if (part.sender != 0) all.push_back(part.sender);
  return all;
}

std::vector<core::LateWakeup> LateWakeups::told(uint64_t start,
                                                const std::map<uint64_t, std::string>& functions) const {
  const auto ns = [&](uint64_t ticks) { return static_cast<double>(ticks) / ticks_per_ns_; };
  std::vector<core::LateWakeup> all;
  for (const auto& [wakeup, whole, others] : kept_) {
    core::LateWakeup& one = all.emplace_back();
    one.t_ns = wakeup.due > start ? ns(wakeup.due - start) : 0;
    one.latency_ns = ns(length_of(wakeup));
    if (wakeup.is_due_known) one.late_interrupt_ns = ns(wakeup.interrupt - wakeup.due);
    one.handler_ns = ns(wakeup.woken - wakeup.interrupt);
    one.others_ns = ns(others);
    one.waking_ns = ns(wakeup.back - wakeup.woken - others);
    for (const Part& part : whole.parts) one.accounting.push_back(told_part(part, ns(part.ticks), functions));
  }
  return all;
}

}  // namespace maxlat::attribution
