// SPDX-License-Identifier: MIT
#pragma once

namespace maxlat::core {

struct Interval {
  double low = 0, high = 0;
};

}  // namespace maxlat::core
