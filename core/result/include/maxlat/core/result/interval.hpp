// SPDX-License-Identifier: MIT
//
// The ends of an interval, of confidence or of anything else, both in it. Units are those of what it is an interval of.
#pragma once

namespace maxlat::core {

struct Interval {
  double low = 0, high = 0;
};

}  // namespace maxlat::core
