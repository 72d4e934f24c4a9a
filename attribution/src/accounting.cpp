// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <maxlat/attribution/accounting.hpp>
#include <optional>
#include <utility>

#include "context.hpp"

namespace maxlat::attribution {
namespace {

using core::Certainty;
using core::TimeClass;

// A fault has no recorded end. One that clears a huge page takes about so long; one that waits for a disk sleeps, which
// is a switch.
constexpr double kLongestFault_ns = 200'000;

bool is_larger(const Part& a, const Part& b) {
  return a.ticks > b.ticks;
}

class Ledger {
 public:
  explicit Ledger(const Interval& interval)
      : interval_(interval), mark_(interval.from), known_(!interval.begins_asleep) {}

  // What was seen until now was before the interval: only what still goes on is of it.
  void begin() {
    for (Part& part : parts_) part.count = 0;
    for (const Context& context : stack_) parts_[context.part].count = 1;
    fault_.reset();
    beside_event_ = beside_switch_ = false;
  }

  // What was before, where the thread has the CPU when the interval begins: it only names who is behind what comes.
  void remember(const KernelEvent& event) {
    switch (event.kind) {
      case EventKind::hole:
        return forget_who_did_it();
      case EventKind::task_switch:
      case EventKind::waking:
        woken_elsewhere_.erase(event.number);
        return;
      case EventKind::vector_entry:
        (void)take_sender(event);
        return;
      default:
        return hear(event);
    }
  }

  void see(const KernelEvent& event) {
    if (is_only_told(event.kind)) return hear(event);
    const std::optional<size_t> fault_before = fault_;
    at_switch_ = event.kind == EventKind::task_switch;
    switch (event.kind) {
      case EventKind::hole:
        give_to(before_history(), event.tick);
        lose_track();
        break;
      case EventKind::nmi:
        see_nmi(event);
        break;
      case EventKind::task_switch:
        go_on_until(event.tick);
        see_switch(event);
        break;
      case EventKind::waking:
        go_on_until(event.tick);
        wakers_.erase(event.number);
        woken_elsewhere_.erase(event.number);
        if (event.number == interval_.thread) woken_ = true;
        if (!stack_.empty()) wakers_[event.number] = stack_.back().part;
        break;
      case EventKind::rename:
        go_on_until(event.tick);
        see_rename(event);
        break;
      case EventKind::timer_set:
        go_on_until(event.tick);
        break;
      case EventKind::page_fault:
        go_on_until(event.tick);
        if (runs_itself()) fault_ = find(part_of(event));
        break;
      default:
        if (is_exit(event.kind)) {
          see_exit(event);
          break;
        }
        go_on_until(event.tick);
        see_entry(event);
        break;
    }
    beside_event_ = true;
    beside_switch_ = at_switch_;
    if (fault_ == fault_before && event.kind != EventKind::page_fault) fault_.reset();  // it lasted to this event
  }

  Accounting close() {
    at_switch_ = false;
    go_on_until(interval_.to);
    Accounting accounting{interval_.from, interval_.to, {}, std::move(nothing_seen_), std::move(ways_)};
    for (Part& part : parts_)
      if (part.ticks > 0) accounting.parts.push_back(std::move(part));
    std::stable_sort(accounting.parts.begin(), accounting.parts.end(), is_larger);
    return accounting;
  }

 private:
  struct Context {
    EventKind entry;
    int32_t number;
    size_t part;
  };

  bool runs_itself() const { return known_ && stack_.empty(); }

  bool is_late_interrupt() const {
    return interval_.timer_is_due && !woken_ && !stack_.empty() && stack_.back().entry == EventKind::task_switch &&
           stack_.back().number == 0;
  }

  // Adds one to its count.
  size_t find(const Part& like) {
    const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
      return part.kind == like.kind && part.name == like.name && part.function == like.function &&
             part.sent_by == like.sent_by && part.sender == like.sender;
    });
    const auto index = static_cast<size_t>(found - parts_.begin());
    if (found == parts_.end()) parts_.push_back(like);
    ++parts_[index].count;
    return index;
  }
  size_t before_history() { return find({.kind = TimeClass::before_history}); }

  void give_to(size_t part, uint64_t until) {
    if (until <= mark_) return;
    parts_[part].ticks += until - mark_;
    mark_ = until;
  }

  // To whom the CPU belongs. What the thread itself has is judged by its length.
  void go_on_until(uint64_t until) {
    if (until <= mark_) return;
    if (is_late_interrupt()) return nothing_seen(until);
    if (!stack_.empty()) return give_to(stack_.back().part, until);
    if (!known_) return give_to(before_history(), until);
    if (fault_) {
      const auto longest = static_cast<uint64_t>(kLongestFault_ns * interval_.ticks_per_ns);
      give_to(*fault_, std::min(until, mark_ + longest));
      if (until == mark_) return;
      return nothing_seen(until);
    }
    const bool beside = beside_event_ || until < interval_.to;
    if (!beside || until - mark_ > way_at_most()) return nothing_seen(until);
    ways_.push_back({{mark_, until}, has_switch() || mark_ >= interval_.back_from});
    give_to(find({.kind = TimeClass::around, .certainty = Certainty::next_to}), until);
  }

  bool has_switch() const { return beside_switch_ || at_switch_; }

  // Of the thread's own, from here to this event.
  uint64_t way_at_most() const {
    if (mark_ >= interval_.back_from) return interval_.back_at_most;
    return has_switch() && interval_.switch_at_most != 0 ? interval_.switch_at_most : interval_.around_at_most;
  }

  void nothing_seen(uint64_t until) {
    nothing_seen_.push_back({mark_, until});
    give_to(find({.kind = TimeClass::nothing_seen}), until);
  }

  void lose_track() {
    known_ = false;
    woken_ = false;
    stack_.clear();
    fault_.reset();
    forget_who_did_it();
  }

  void forget_who_did_it() {
    wakers_.clear();
    woken_elsewhere_.clear();
    sent_ = {};
  }

  // What is not of this CPU's time, but names who is behind something that is.
  void hear(const KernelEvent& event) {
    if (event.kind == EventKind::lost_elsewhere) return forget_who_did_it();
    if (event.kind == EventKind::ipi_sent) sent_[event.priority != 0 ? kCall : kReschedule] = event;
    if (event.kind != EventKind::woken_elsewhere && event.kind != EventKind::moved_elsewhere) return;
    wakers_.erase(event.number);
    woken_elsewhere_.erase(event.number);
    if (event.kind == EventKind::woken_elsewhere) woken_elsewhere_[event.number] = event;
  }

  std::optional<KernelEvent> take_sender(const KernelEvent& entry) {
    switch (static_cast<VectorUse>(entry.number)) {
      case VectorUse::reschedule:
        return std::exchange(sent_[kReschedule], {});
      case VectorUse::call_function:
      case VectorUse::call_function_single:
        return std::exchange(sent_[kCall], {});
      default:
        return {};
    }
  }

  void see_entry(const KernelEvent& event) {
    Part part = part_of(event);
    if (event.kind == EventKind::vector_entry) {
      if (const auto sent = take_sender(event)) {
        part.sent_by = of_other_cpu(static_cast<uint64_t>(sent->number), *sent);
        part.sender = sent->value;
      }
    }
    stack_.push_back({event.kind, event.number, find(part)});
  }

  void see_nmi(const KernelEvent& event) {
    const auto length = static_cast<uint64_t>(static_cast<double>(event.value) * interval_.ticks_per_ns);
    go_on_until(event.tick - std::min(length, event.tick));
    give_to(find(part_of(event)), event.tick);
  }

  void see_switch(const KernelEvent& event) {
    stack_.clear();
    known_ = true;
    if (event.number == interval_.thread) {
      woken_ = false;
      return;
    }
    if (interval_.partner != 0 && event.number == interval_.partner) return;
    Part task = part_of(event);
    if (const auto waker = wakers_.find(event.number); waker != wakers_.end()) {
      const Part& by = parts_[waker->second];
      task.woken_by = core::name_of({.kind = by.kind, .name = by.name});
      task.waker_function = by.function;
      wakers_.erase(waker);
    } else if (const auto elsewhere = woken_elsewhere_.find(event.number); elsewhere != woken_elsewhere_.end()) {
      task.woken_by = of_other_cpu(elsewhere->second.value, elsewhere->second);
      woken_elsewhere_.erase(elsewhere);
    }
    stack_.push_back({EventKind::task_switch, event.number, find(task)});
  }

  // Under its new name the thread is another part from here on, woken by the same. One that does not run is named by
  // its next switch.
  void see_rename(const KernelEvent& event) {
    const bool runs = !stack_.empty() && stack_.front().entry == EventKind::task_switch;
    if (!runs || stack_.front().number != event.number) return;
    Part task = part_of(event);
    task.woken_by = parts_[stack_.front().part].woken_by;
    task.waker_function = parts_[stack_.front().part].waker_function;
    stack_.front().part = find(task);
  }

  // One without an entry, while the history is whole: where contexts are preempted (PREEMPT_RT) it goes on as its
  // task's; of an interrupt there is no such thing, so what is recorded contradicts itself.
  void see_exit(const KernelEvent& event) {
    const EventKind entry = entry_of(event.kind);
    const auto opened = std::find_if(stack_.rbegin(), stack_.rend(), [&](const Context& context) {
      return ends(event, context.entry, context.number);
    });
    const bool interrupt = entry == EventKind::vector_entry || entry == EventKind::irq_entry;
    if (opened == stack_.rend() && interrupt) return give_to(before_history(), event.tick);
    go_on_until(event.tick);
    if (opened != stack_.rend()) stack_.erase(std::next(opened).base(), stack_.end());
  }

  const Interval interval_;
  uint64_t mark_;  // everything before it has an owner
  bool known_;
  bool woken_ = false;  // the thread, and it does not run yet
  bool beside_event_ = false;
  bool beside_switch_ = false, at_switch_ = false;  // the event before, and this one
  std::vector<Context> stack_;                      // the innermost last; empty and known: the thread itself
  std::optional<size_t> fault_;
  std::vector<Part> parts_;
  std::map<int32_t, size_t> wakers_;
  std::map<int32_t, KernelEvent> woken_elsewhere_;
  // The last interrupts that a CPU asked for, and that have not come yet.
  enum Sent : uint8_t { kReschedule, kCall };
  std::array<std::optional<KernelEvent>, 2> sent_;
  std::vector<Stretch> nothing_seen_;
  std::vector<Way> ways_;
};

// One stretch of a part becomes one of another. REQUIRES: it is of the class `from`.
void give_away(const Stretch& stretch, TimeClass from, const Part& to, Accounting& accounting) {
  const uint64_t ticks = stretch.to - stretch.from;
  auto& parts = accounting.parts;
  const auto of = [&](TimeClass kind) {
    return std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.kind == kind; });
  };
  const auto giver = of(from);
  giver->ticks -= ticks;
  --giver->count;
  if (giver->ticks == 0) parts.erase(giver);
  auto taker = of(to.kind);
  if (taker == parts.end()) taker = parts.insert(taker, to);
  taker->ticks += ticks;
  ++taker->count;
  std::stable_sort(parts.begin(), parts.end(), is_larger);
}

}  // namespace

Accounting account(std::span<const KernelEvent> events, const Interval& interval) {
  Ledger ledger(interval);
  const auto begin =
      std::find_if(events.begin(), events.end(), [&](const KernelEvent& event) { return event.tick > interval.from; });
  for (const KernelEvent& event : std::span(events.begin(), begin))
    interval.begins_asleep ? ledger.see(event) : ledger.remember(event);
  if (interval.begins_asleep) ledger.begin();
  for (KernelEvent event : std::span(begin, events.end())) {
    const bool behind = event.tick > interval.to;
    if (behind && is_of_another_cpu(event.kind)) continue;  // it does not tell that this CPU's record goes so far
    if (behind && event.kind != EventKind::hole) break;
    event.tick = std::min(event.tick, interval.to);  // what is lost may have begun in the interval
    ledger.see(event);
    if (behind) break;
  }
  return ledger.close();
}

void tighten_around(const LongestWays& longest, Accounting& accounting) {
  std::erase_if(accounting.ways, [&](const Way& way) {
    if (way.to - way.from <= (way.is_of_switch ? longest.of_switch : longest.of_interrupt)) return false;
    give_away(way, TimeClass::around, {.kind = TimeClass::nothing_seen}, accounting);
    const auto behind = std::find_if(accounting.nothing_seen.begin(), accounting.nothing_seen.end(),
                                     [&](const Stretch& other) { return other.from > way.from; });
    accounting.nothing_seen.insert(behind, way);
    return true;
  });
}

void name_smis(std::span<const SmiWindow> windows, std::span<Accounting* const> accountings) {
  struct Candidate {
    Accounting* accounting;
    Stretch stretch;
  };
  for (const SmiWindow& window : windows) {
    std::vector<Candidate> inside;
    for (Accounting* const one : accountings)
      for (const Stretch& stretch : one->nothing_seen)
        if (stretch.from >= window.from && stretch.to <= window.to) inside.push_back({one, stretch});
    std::stable_sort(inside.begin(), inside.end(), [](const Candidate& a, const Candidate& b) {
      return a.stretch.to - a.stretch.from > b.stretch.to - b.stretch.from;
    });
    inside.resize(std::min<std::size_t>(inside.size(), window.count));
    for (const Candidate& one : inside)
      give_away(one.stretch, TimeClass::nothing_seen, {.kind = TimeClass::smi, .certainty = Certainty::next_to},
                *one.accounting);
  }
}

}  // namespace maxlat::attribution
