// SPDX-License-Identifier: MIT
#include "wakeup_finder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace maxlat::attribution {
namespace {

constexpr int32_t kMostUrgent = 99;  // the kernel counts from there down to 0
constexpr uint64_t kLatest_ns = 60'000'000'000;

}  // namespace

std::optional<Wakeup> WakeupFinder::see(const KernelEvent& event, const MonotonicTicks& monotonic) {
  switch (event.kind) {
    case EventKind::hole:
      set_for_.clear();
      interrupt_ = 0;
      expiry_.reset();
      open_.reset();
      return {};
    case EventKind::vector_entry:
      interrupt_ = event.tick;
      return {};
    case EventKind::vector_exit:
      interrupt_ = 0;
      expiry_.reset();
      return {};
    case EventKind::timer_set: {
      const std::optional<Wakeup> ended = ended_by(event);
      see_set(event);
      return ended;
    }
    case EventKind::hrtimer_entry:
      expiry_ = event;
      return {};
    case EventKind::hrtimer_exit:
      expiry_.reset();
      return {};
    case EventKind::waking:
      see_waking(event, monotonic);
      return {};
    case EventKind::task_switch: {
      const std::optional<Wakeup> ended = ended_by(event);
      see_switch(event);
      return ended;
    }
    default:
      return {};
  }
}

bool WakeupFinder::is_meters(const KernelEvent& event) {
  if (thread_ != 0) return event.number == thread_;
  if (event.priority != kMostUrgent - threads_.priority || event.name.text() != threads_.name) return false;
  const auto [judged, is_new] = judged_.try_emplace(event.number, false);
  if (is_new) judged->second = is_meters_(event.number);
  if (judged->second) thread_ = event.number;
  return judged->second;
}

// By what the thread itself does: it sets its next timer, or sleeps. (Where it is preempted, it has not come back yet.)
std::optional<Wakeup> WakeupFinder::ended_by(const KernelEvent& event) {
  if (!open_ || open_->ran == 0 || event.running != thread_) return {};
  const bool sets_its_timer = event.kind == EventKind::timer_set && interrupt_ == 0;
  const bool sleeps = event.kind == EventKind::task_switch && event.value != 0;
  if (!sets_its_timer && !sleeps) return {};
  Wakeup wakeup = *std::exchange(open_, {});
  wakeup.back = event.tick;
  return wakeup;
}

void WakeupFinder::see_switch(const KernelEvent& event) {
  const bool waits = open_ && open_->ran == 0;
  if (waits && event.running == thread_) open_.reset();  // it ran when it was woken: it had not slept yet
  if (is_meters(event) && open_ && open_->ran == 0) open_->ran = event.tick;
}

// A timer that an interrupt sets is not that of the thread in whose place it runs.
void WakeupFinder::see_set(const KernelEvent& event) {
  if (interrupt_ != 0 || (thread_ != 0 && event.running != thread_)) return;
  if (set_for_.size() >= kMostKnown) set_for_.clear();
  set_for_[event.running] = event.value;
}

void WakeupFinder::see_waking(const KernelEvent& event, const MonotonicTicks& monotonic) {
  if (!expiry_ || !is_meters(event)) return;
  Wakeup wakeup{.interrupt = interrupt_ != 0 ? interrupt_ : expiry_->tick, .woken = event.tick};
  wakeup.function = expiry_->value;
  wakeup.due = wakeup.interrupt;
  const auto set_for = set_for_.find(event.number);
  std::optional<uint64_t> due;
  if (set_for != set_for_.end())
    due = monotonic.at(set_for->second);
  else if (expiry_->lateness_ns != KernelEvent::kNoLateness)
    due = expiry_->tick - monotonic.length_of(static_cast<uint64_t>(std::max(expiry_->lateness_ns, 0)));
  set_for_.clear();
  // A timer of another clock seems to be due at any time.
  if (due && *due <= wakeup.woken && wakeup.woken - *due <= monotonic.length_of(kLatest_ns)) {
    wakeup.due = *due;
    wakeup.is_due_known = true;
    wakeup.interrupt = std::max(wakeup.interrupt, *due);  // it became due while the interrupt was on
  }
  open_ = wakeup;
}

bool is_of_a_child(int32_t thread) {
  std::ifstream status(fmt::format("/proc/{}/status", thread));
  const std::string ours = fmt::format("PPid:\t{}", ::getpid());
  for (std::string line; std::getline(status, line);)
    if (line == ours) return true;
  return false;
}

}  // namespace maxlat::attribution
