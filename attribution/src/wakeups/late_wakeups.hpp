// SPDX-License-Identifier: MIT
//
// The latest wake-ups of one CPU's thread that is another program's, each with who had its time and with its steps
// (core/result/late_wakeup.hpp).
//
// THREADS  one at a time. One object for each CPU.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/core/result/late_wakeup.hpp>
#include <span>
#include <string>
#include <vector>

#include "cpu_history.hpp"
#include "wakeups/wakeup_finder.hpp"

namespace maxlat::attribution {

class LateWakeups {
 public:
  LateWakeups(size_t most, double ticks_per_ns) : most_(most), ticks_per_ns_(ticks_per_ns) {}

  // Not kept where the history of its way is forgotten: nobody knows then what of it others had. REQUIRES: `history`
  // has the events up to its end, which is the last of them or earlier.
  void offer(const Wakeup& wakeup, int32_t thread, const CpuHistory& history);

  // As CpuHistory's: of all that were kept once; and when all is told.
  const AroundCalibration& around() const { return around_; }
  void tighten_around_of_all(const LongestWays& longest);
  void name_smis_of(std::span<const SmiWindow> windows);

  // Addresses of the functions in them, and from which interrupts were sent.
  std::vector<uint64_t> functions() const;
  std::vector<uint64_t> senders() const;
  // Latest first. `start` is the tick from which their times count, `functions` the names of all functions.
  std::vector<core::LateWakeup> told(uint64_t start, const std::map<uint64_t, std::string>& functions) const;

 private:
  struct Kept {
    Wakeup wakeup;
    Accounting whole;
    uint64_t others = 0;  // ticks behind the waking that others had
  };

  const size_t most_;
  const double ticks_per_ns_;
  std::vector<Kept> kept_;  // latest first
  AroundCalibration around_;
};

}  // namespace maxlat::attribution
