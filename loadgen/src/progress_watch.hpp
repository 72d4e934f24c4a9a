// SPDX-License-Identifier: MIT
//
// From a growing counter to "so much per second, each second" and "stands still". Pure: the times are the caller's.
//
// The looks come about once a second, but not exactly: a look that comes early (the last one, at stop) adds nothing
// until half a second is there to divide by, and one that comes late stands for all the seconds it covers, so that
// entry n is always about the n-th second. A keeper that a busy machine kept from counting has not seen its load stand
// still: what it counts at last is of all the seconds since it counted before.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace maxlat::loadgen {

class ProgressWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressWatch(Time start) : start_(start), counted_until_(start), last_change_(start) {}

  // `work` is what the rate is made of; any change of `work` or `rounds` is a sign of life. `counted_at`: until when
  // `work` is known, if not until now.
  void observe(uint64_t work, uint64_t rounds, Time now, std::optional<Time> counted_at = std::nullopt);
  const std::vector<double>& per_second() const { return per_second_; }
  std::chrono::steady_clock::duration pause(Time now) const { return now - last_change_; }
  std::chrono::steady_clock::duration age(Time now) const { return now - start_; }
  // Whether a load that ends now had ended long ago: it did nothing in all of at least a second, or nothing in its last
  // tenth. A busy machine may stop a load for a second, so a last pause of a few seconds is none.
  bool idle_at_end(Time now) const;

 private:
  Time start_;
  Time counted_until_;
  Time last_change_;
  uint64_t counted_work_ = 0;
  uint64_t last_work_ = 0, last_rounds_ = 0;
  std::vector<double> per_second_;
};

}  // namespace maxlat::loadgen
