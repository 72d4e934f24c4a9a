// SPDX-License-Identifier: MIT
//
// Axes with tics where a reader expects them: decades of latency with their unit, decades of counts, nines, seconds.
#pragma once

#include "plot.hpp"

namespace maxlat::reports {

// Logarithmic, from a 1-2-5 step at or below `low` to one at or above `high`; labels at decades, and at 2 and 5 when
// there are few of them. REQUIRES: 0 < low.
Axis latency_axis(std::string label, double low_ns, double high_ns);
// Logarithmic, from one half (so that a count of 1 is seen) to the 1-2-5 step above `high`.
Axis count_axis(std::string label, double high);
// Linear, in nines: 0 is 0 %, 1 is 90 %, 2 is 99 %, 3 is 99.9 %. Ends at the nines that n samples can resolve.
Axis nines_axis(std::string label, double samples);
// Linear, from 0; labels in seconds, minutes or hours, positions in seconds.
Axis time_axis(double end_s);
// Logarithmic, positions in seconds; labels from "1 s" to "1 y". REQUIRES: 0 < low < high.
Axis period_axis(std::string label, double low_s, double high_s);
// Linear, positions in seconds after `begin_s`; labels are dates in UTC, or times of day when it is less than two days.
// Both in seconds since 1970.
Axis date_axis(double begin_s, double end_s);
// Linear, from 0, with round tics, each with the unit behind it.
Axis linear_axis(std::string label, double high, const std::string& unit);

}  // namespace maxlat::reports
