// SPDX-License-Identifier: MIT
#include "interval_events.hpp"

#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/done_elsewhere.hpp>
#include <set>
#include <utility>

namespace maxlat::trace_tools {
namespace {

using attribution::EventKind;
using attribution::KernelEvent;

constexpr std::size_t kPruneAt = std::size_t{1} << 16;

}  // namespace

IntervalEvents::IntervalEvents(std::uint64_t from, std::uint64_t to, const TraceNames& names)
    : from_(from), to_(to), names_(names), prune_at_(kPruneAt), switches_([&names](std::int32_t thread) {
        const auto known = names.threads.find(thread);
        return attribution::UnseenSwitches::Thread{
            attribution::ShortName(known == names.threads.end() ? std::string_view() : known->second)};
      }) {}

void IntervalEvents::lose(std::uint64_t tick) {
  const KernelEvent hole{.tick = tick, .kind = EventKind::hole};
  smis_.see(hole);
  switches_.add(hole, events_);
}

void IntervalEvents::add(const KernelEvent& event) {
  smis_.see(event);
  switches_.add(event, events_);
  prune_before(event.tick);
}

void IntervalEvents::add_told(const KernelEvent& event) {
  events_.push_back(event);
  prune_before(event.tick);
}

void IntervalEvents::lose_elsewhere(std::uint64_t since) {
  attribution::lose_elsewhere(events_, since);
}

// Whose the CPU is when the interval begins, the last switch before tells. Of what was told before it stays what may
// still name somebody: the last waking of each thread that has not run since, or runs now, and the last sends.
void IntervalEvents::prune_before(std::uint64_t tick) {
  if (events_.size() < prune_at_ || tick > from_) return;
  std::vector<KernelEvent> kept;
  std::set<std::int32_t> is_known;           // whose last waking it is known
  bool has_sent[] = {false, false};          // a reschedule, a call
  bool has_switch = false, is_over = false;  // over: what was told before names nobody
  for (auto event = events_.rbegin(); event != events_.rend() && !(has_switch && is_over); ++event) {
    bool is_needed = !has_switch;
    switch (event->kind) {
      case EventKind::woken_elsewhere:
        is_needed = !is_over && is_known.insert(event->number).second;
        break;
      case EventKind::ipi_sent:
        is_needed = !is_over && !std::exchange(has_sent[event->priority], true);
        break;
      case EventKind::lost_elsewhere:
        is_needed = !std::exchange(is_over, true);
        break;
      case EventKind::hole:
        has_switch = is_over = true;
        break;
      case EventKind::waking:
        is_known.insert(event->number);
        break;
      case EventKind::task_switch:
        if (std::exchange(has_switch, true)) is_known.insert(event->number);
        break;
      default:
        break;
    }
    if (is_needed) kept.push_back(*event);
  }
  events_.assign(kept.rbegin(), kept.rend());
  prune_at_ = 2 * events_.size() + kPruneAt;
}

ExplainedInterval IntervalEvents::explained(std::int32_t thread, double ticks_per_ns) const {
  attribution::Accounting accounting = attribution::account(
      events_, {.from = from_,
                .to = to_,
                .thread = thread,
                .around_at_most = static_cast<std::uint64_t>(attribution::kAroundAtMost_ns * ticks_per_ns),
                .ticks_per_ns = ticks_per_ns,
                .begins_asleep = true});
  attribution::Accounting* const only[] = {&accounting};
  attribution::name_smis(smis_.windows(), only);
  ExplainedInterval whole{.ticks = to_ - from_, .ns = static_cast<double>(to_ - from_) / ticks_per_ns};
  for (const attribution::Part& part : accounting.parts)
    whole.parts.push_back(
        {attribution::told_part(part, static_cast<double>(part.ticks) / ticks_per_ns, names_.functions), part.ticks});
  return whole;
}

}  // namespace maxlat::trace_tools
