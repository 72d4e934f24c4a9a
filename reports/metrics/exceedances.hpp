// SPDX-License-Identifier: MIT
//
// Samples of a CPU above a limit, and how many the box may have, at 95 %: what a limit on a rate or a quantile must
// allow. Exact where samples are independent (core/stats/exceedance.hpp).
//
// They are not where a disturbance holds many. Then a hundred samples of one disturbance show as much as one, not as a
// hundred: so many of them as tell no more than one (core/stats/sample_dependence.hpp) are one event, and the bound is
// that of the events, times their size. Where the time line does not tell, they are taken as independent.
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::reports {

struct Exceedances {
  std::uint64_t samples = 0;  // above the limit
  std::uint64_t of = 0;       // of all
  double for_one = 1;         // so many samples tell as much as one that is independent

  // Samples that are expected in the time watched are fewer.
  double at_most() const;
  // The share of samples is smaller.
  double share_at_most() const;
  // "8 in 7.2 s" goes on with ", 4.2 of which tell as much as one"; empty where they come singly.
  std::string together_text() const;
};

// REQUIRES: the CPU has a histogram, or no sample above the limit.
Exceedances exceedances_of(const core::CpuResult& cpu, double limit_ns);

}  // namespace maxlat::reports
