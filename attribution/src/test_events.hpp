// SPDX-License-Identifier: MIT
//
// A CPU's events made by hand, for tests.
#pragma once

#include <maxlat/attribution/kernel_event.hpp>
#include <string_view>

namespace maxlat::attribution::test {

inline constexpr int32_t kMeter = 77;  // the thread whose intervals are accounted for

inline KernelEvent event(uint64_t tick, EventKind kind, int32_t number = 0, std::string_view name = {}) {
  return {.tick = tick, .number = number, .kind = kind, .name = ShortName(name)};
}
inline KernelEvent of_vector(uint64_t tick, EventKind kind, VectorUse use) {
  return event(tick, kind, static_cast<int32_t>(use));
}
inline KernelEvent of_function(uint64_t tick, EventKind kind, uint64_t function) {
  return {.tick = tick, .value = function, .kind = kind};
}
inline KernelEvent switch_to(uint64_t tick, int32_t thread, std::string_view name, int32_t priority = 120) {
  return {
      .tick = tick, .number = thread, .priority = priority, .kind = EventKind::task_switch, .name = ShortName(name)};
}
inline KernelEvent rename(uint64_t tick, int32_t thread, std::string_view name) {
  return {.tick = tick, .number = thread, .priority = 120, .kind = EventKind::rename, .name = ShortName(name)};
}
inline KernelEvent back_to_meter(uint64_t tick) {
  return switch_to(tick, kMeter, "npt", 0);
}

}  // namespace maxlat::attribution::test
