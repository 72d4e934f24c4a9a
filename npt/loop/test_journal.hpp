// SPDX-License-Identifier: MIT
//
// For tests: a journal of steps of a second, one tick a nanosecond, which nobody stops.
#pragma once

#include <atomic>
#include <maxlat/core/stats/journal.hpp>

namespace maxlat::npt {

inline constexpr uint64_t kSecond = 1'000'000'000;

inline core::JournalSpec spec_of_seconds(uint64_t seconds, uint64_t look_every_ticks) {
  static const std::atomic<bool> never{false};
  static std::atomic<bool> unheard{false};
  core::JournalSpec spec;
  spec.step_ticks = kSecond;
  spec.steps = seconds;
  spec.look_every_ticks = look_every_ticks;
  spec.outliers = 3;
  spec.stop = &never;
  spec.halt = &unheard;
  return spec;
}

}  // namespace maxlat::npt
