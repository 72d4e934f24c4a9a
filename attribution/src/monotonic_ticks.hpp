// SPDX-License-Identifier: MIT
//
// The counter at a recent time of CLOCK_MONOTONIC. The two do not run at one rate: NTP bends the clock, by up to half a
// millisecond in a second. So the rate is that of the last two looks at both, which are close to what is asked for.
#pragma once

#include <cmath>
#include <cstdint>
#include <maxlat/base/moment.hpp>

namespace maxlat::attribution {

class MonotonicTicks {
 public:
  // `ticks_per_ns` until there are two looks.
  MonotonicTicks(base::Moment first, double ticks_per_ns) : newest_(first), ticks_per_ns_(ticks_per_ns) {}

  void look(base::Moment now) {
    if (now.ns < newest_.ns + kApart_ns) return;
    ticks_per_ns_ = static_cast<double>(now.ticks - newest_.ticks) / static_cast<double>(now.ns - newest_.ns);
    newest_ = now;
  }

  uint64_t at(uint64_t ns) const {
    const auto since_ns = static_cast<double>(static_cast<int64_t>(ns - newest_.ns));
    return newest_.ticks + static_cast<uint64_t>(std::llround(since_ns * ticks_per_ns_));
  }
  uint64_t length_of(uint64_t ns) const {
    return static_cast<uint64_t>(std::llround(static_cast<double>(ns) * ticks_per_ns_));
  }

 private:
  // A look is known to some ten nanoseconds: over so long the rate is then right to a few millionths.
  static constexpr uint64_t kApart_ns = 10'000'000;

  base::Moment newest_;
  double ticks_per_ns_;
};

}  // namespace maxlat::attribution
