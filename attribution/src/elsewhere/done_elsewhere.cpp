// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <maxlat/attribution/done_elsewhere.hpp>

namespace maxlat::attribution {
namespace {

constexpr auto is_before = [](const KernelEvent& a, const KernelEvent& b) { return a.tick < b.tick; };

void merge(std::vector<KernelEvent>& events, std::span<const KernelEvent> done) {
  if (done.empty()) return;
  const auto first = std::upper_bound(events.begin(), events.end(), done.front(), is_before) - events.begin();
  const auto own = static_cast<std::ptrdiff_t>(events.size());
  events.insert(events.end(), done.begin(), done.end());
  std::inplace_merge(events.begin() + first, events.begin() + own, events.end(), is_before);
}

void take_out(std::vector<KernelEvent>& events, uint64_t since) {
  const auto was_before = [&](const KernelEvent& event) { return event.tick <= since; };
  // A switch that nobody recorded stands behind what was told, with an earlier tick.
  const auto told = std::find_if(events.rbegin(), events.rend(), [&](const KernelEvent& event) {
    return was_before(event) && event.kind != EventKind::task_switch;
  });
  events.erase(
      std::remove_if(told.base(), events.end(),
                     [&](const KernelEvent& event) { return is_of_another_cpu(event.kind) && !was_before(event); }),
      events.end());
}

}  // namespace

void lose_elsewhere(std::vector<KernelEvent>& events, uint64_t since) {
  take_out(events, since);
  const auto last =
      std::find_if(events.rbegin(), events.rend(), [&](const KernelEvent& event) { return event.tick <= since; });
  events.insert(last.base(), {.tick = since, .kind = EventKind::lost_elsewhere});
}

void ElsewhereTurns::add(const Turn& turn, std::span<const KernelEvent> done, std::vector<KernelEvent>& events) {
  const auto first_behind = [](std::span<const KernelEvent> in, uint64_t tick) {
    return std::find_if(in.begin(), in.end(), [&](const KernelEvent& event) { return event.tick > tick; }) - in.begin();
  };
  if (turn.whole) {
    merge(held_back_, done.subspan(static_cast<size_t>(first_behind(done, nothing_until_))));
  } else {
    take_out(events, last_began_);
    lose_elsewhere(held_back_, last_began_);
    nothing_until_ = turn.began;
  }
  const std::ptrdiff_t known = first_behind(held_back_, turn.until);
  merge(events, std::span(held_back_).first(static_cast<size_t>(known)));
  held_back_.erase(held_back_.begin(), held_back_.begin() + known);
  last_began_ = turn.began;
}

}  // namespace maxlat::attribution
