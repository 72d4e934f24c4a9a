// SPDX-License-Identifier: MIT
#include "watch_turns.hpp"

#include <maxlat/base/counter.h>

#include <algorithm>
#include <maxlat/attribution/accounting.hpp>
#include <optional>
#include <span>
#include <utility>

namespace maxlat::attribution {
namespace {

constexpr size_t kPacketsAtOnce = 64;
constexpr size_t kReadsOfOneTurn = 16;  // together twice what a buffer holds
// Of all CPUs together, up to 128 of them, 60 MB; of one 4 MB and what is read at once, and at least what a second of a
// busy one needs.
constexpr size_t kMostEvents = 1 << 20, kMostOfOneCpu = 1 << 16, kFewestOfOneCpu = 1 << 13;

}  // namespace

size_t WatchTurns::most_events_of_each(size_t cpus) {
  return std::clamp(kMostEvents / cpus, kFewestOfOneCpu, kMostOfOneCpu);
}

WatchTurns::WatchTurns(const WatchPlan& plan, EventSource& source, ReadElsewhere read_elsewhere, base::Moment start,
                       size_t most_events, const WakeupFinder::IsMeters& is_meters)
    : plan_(plan),
      source_(source),
      read_elsewhere_(std::move(read_elsewhere)),
      done_elsewhere_(plan.cpus.size()),
      monotonic_(start, plan.ticks_per_ns) {
  for (size_t i = 0; i < plan_.cpus.size(); ++i)
    cpus_.push_back(std::make_unique<WatchedCpu>(plan_, most_events, is_meters));
}

bool WatchTurns::take() {
  if (!damage_.empty()) return false;
  for (const auto& cpu : cpus_) cpu->take_asked();
  bool is_whole = true;
  for (size_t i = 0; i < cpus_.size() && damage_.empty(); ++i) is_whole = read(i) && is_whole;
  if (!damage_.empty()) return false;
  read_elsewhere();
  for (const auto& cpu : cpus_) {
    account_for_found(*cpu);
    account_for_open(*cpu, cpu->is_read ? UINT64_MAX : cpu->recorded_until);
    forget_old(*cpu);
  }
  return is_whole;
}

// The gaps are taken before: when the buffer is then read to its end, all that was recorded in them is here ([A1]).
bool WatchTurns::read(size_t index) {
  WatchedCpu& cpu = *cpus_[index];
  cpu.is_read = false;
  for (size_t reads = 0; !cpu.is_read && reads < kReadsOfOneTurn; ++reads) {
    if (cpu.history.is_full()) make_room(cpu);
    const uint64_t began = maxlat_counter_plain();
    const core::Result<bool> all = read_once(cpu, index);
    if (!all) damage_ = all.error().text;
    if (!all) return false;
    cpu.is_read = *all;
    cpu.known_until = std::max(cpu.is_read ? began : 0, cpu.recorded_until);
  }
  return cpu.is_read;
}

core::Result<bool> WatchTurns::read_once(WatchedCpu& cpu, size_t index) {
  std::vector<KernelEvent>& events = cpu.history.events();
  const size_t before = events.size();
  core::Result<bool> all = source_.read(index, kPacketsAtOnce, events);
  if (events.size() > before) cpu.recorded_until = events.back().tick;
  if (plan_.watched == Watched::another_program) find_wakeups(cpu, std::span(events).subspan(before));
  sum_up(cpu, std::span(events).subspan(before));
  return all;
}

void WatchTurns::find_wakeups(WatchedCpu& cpu, std::span<const KernelEvent> events) {
  for (const KernelEvent& event : events) {
    const std::optional<Wakeup> wakeup = cpu.finder.see(event, monotonic_);
    const int32_t thread = cpu.finder.thread();
    if (thread != 0 && !cpu.ledger.has_begun()) cpu.ledger.begin(event.tick, thread);
    if (wakeup) cpu.found.push_back(*wakeup);
  }
}

// Behind the reading: of events that were recorded after the start it is then known, but for those of the moment in
// which the meter says so.
void WatchTurns::sum_up(WatchedCpu& cpu, std::span<const KernelEvent> events) const {
  const std::optional<uint64_t> begin = cpu.asked.begun(), end = cpu.asked.ended();
  if (begin && !cpu.ledger.has_begun()) cpu.ledger.begin(ticks_at(*begin), cpu.asked.thread());
  if (end && !std::exchange(cpu.end_is_told, true)) cpu.ledger.end(ticks_at(*end));
  cpu.ledger.see(events);
  for (const KernelEvent& event : events) cpu.smis.see(event);
}

void WatchTurns::read_elsewhere() {
  monotonic_.look(base::read_both(CLOCK_MONOTONIC));
  if (!read_elsewhere_) return;
  const uint64_t began = maxlat_counter_plain();
  for (std::vector<KernelEvent>& of_cpu : done_elsewhere_) of_cpu.clear();
  const core::Result<bool> read = read_elsewhere_(done_elsewhere_);
  if (!read) ++unreadable_elsewhere_;
  const bool whole = read && *read;
  for (size_t i = 0; i < cpus_.size(); ++i)
    cpus_[i]->elsewhere.add({began, whole, cpus_[i]->known_until}, done_elsewhere_[i], cpus_[i]->history.events());
}

Interval WatchTurns::interval_of(const core::AskedGap& gap, int32_t thread) const {
  const auto ticks = [&](double ns) { return static_cast<uint64_t>(ns * plan_.ticks_per_ns); };
  const uint64_t end = ticks_at(gap.end);
  const bool is_wakeup = plan_.watched != Watched::loop;
  return {.from = end - (of_timer() ? monotonic_.length_of(gap.ticks) : gap.ticks),
          .to = end,
          .thread = gap.thread == 0 ? thread : gap.thread,
          .partner = gap.partner,
          .around_at_most = ticks(kAroundAtMost_ns),
          .switch_at_most = ticks(switch_at_most_ns(plan_.watched)),
          .ticks_per_ns = plan_.ticks_per_ns,
          .begins_asleep = is_wakeup,
          .timer_is_due = is_wakeup};
}

void WatchTurns::make_room(WatchedCpu& cpu) {
  read_elsewhere();
  account_for_found(cpu);
  forget_old(cpu);
}

void WatchTurns::account_for_found(WatchedCpu& cpu) {
  for (const Wakeup& wakeup : cpu.found) cpu.wakeups.offer(wakeup, cpu.finder.thread(), cpu.history);
  cpu.found.clear();
}

// Of gaps that end by `until`.
void WatchTurns::account_for_open(WatchedCpu& cpu, uint64_t until) {
  std::erase_if(cpu.open, [&](const core::AskedGap& gap) {
    const Interval interval = interval_of(gap, cpu.asked.thread());
    if (interval.to > until) return false;
    cpu.history.account_for(gap, interval);
    return true;
  });
}

// A gap that was asked for since is accounted for before, if something was recorded behind it. If nothing was, or it is
// not asked for yet, it is among the newest, which stay.
void WatchTurns::forget_old(WatchedCpu& cpu) {
  if (!cpu.history.is_full()) return;
  cpu.take_asked();
  account_for_open(cpu, cpu.recorded_until);
  cpu.history.forget_old();
}

}  // namespace maxlat::attribution
