// SPDX-License-Identifier: MIT
//
// How often: a count of events in a watched time as a rate with its interval. An interval of a run that saw nothing is
// the rule of three (Hanley 1983): at 95 %, fewer than 3 in the time watched.
#pragma once

#include <cstdint>

namespace maxlat::hwlat {

struct Rate {
  double per_hour = 0;
  double low_per_hour = 0, high_per_hour = 0;  // exact 95 % interval of a Poisson rate; one-sided above for 0 events
};

// REQUIRES: watched_s > 0.
Rate rate_of(uint64_t events, double watched_s);

}  // namespace maxlat::hwlat
