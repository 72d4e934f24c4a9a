// SPDX-License-Identifier: MIT
// Where liblttng-ust-dev is not installed.
#include "arms.hpp"

namespace maxlat::bench {

std::vector<Arm> lttng_arms() {
  return {};
}

}  // namespace maxlat::bench
