// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <maxlat/attribution/done_elsewhere.hpp>

namespace maxlat::attribution {
namespace {

constexpr auto is_before = [](const KernelEvent& a, const KernelEvent& b) { return a.tick < b.tick; };

}  // namespace

void add_done_elsewhere(std::vector<KernelEvent>& events, std::span<const KernelEvent> done) {
  if (done.empty()) return;
  const auto first = std::upper_bound(events.begin(), events.end(), done.front(), is_before) - events.begin();
  const auto own = static_cast<std::ptrdiff_t>(events.size());
  events.insert(events.end(), done.begin(), done.end());
  std::inplace_merge(events.begin() + first, events.begin() + own, events.end(), is_before);
}

void lose_elsewhere(std::vector<KernelEvent>& events, uint64_t since) {
  const auto was_before = [&](const KernelEvent& event) { return event.tick <= since; };
  // A switch that nobody recorded stands behind what was told, with an earlier tick.
  const auto told = std::find_if(events.rbegin(), events.rend(), [&](const KernelEvent& event) {
    return was_before(event) && event.kind != EventKind::task_switch;
  });
  events.erase(
      std::remove_if(told.base(), events.end(),
                     [&](const KernelEvent& event) { return is_of_another_cpu(event.kind) && !was_before(event); }),
      events.end());
  const auto last = std::find_if(events.rbegin(), events.rend(), was_before);
  events.insert(last.base(), {.tick = since, .kind = EventKind::lost_elsewhere});
}

void ElsewhereTurns::add(uint64_t began, bool whole, std::span<const KernelEvent> done,
                         std::vector<KernelEvent>& events) {
  if (whole) {
    const auto counts =
        std::find_if(done.begin(), done.end(), [&](const KernelEvent& event) { return event.tick > nothing_until_; });
    add_done_elsewhere(events, done.subspan(static_cast<size_t>(counts - done.begin())));
  } else {
    lose_elsewhere(events, last_began_);
    nothing_until_ = began;
  }
  last_began_ = began;
}

}  // namespace maxlat::attribution
