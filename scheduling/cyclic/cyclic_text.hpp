// SPDX-License-Identifier: MIT
//
// The wake-ups of each CPU as a table, and with `every_outlier` the latest of them with the time of day.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::scheduling {

std::string cyclic_text(const core::Phase& phase, bool every_outlier);

}  // namespace maxlat::scheduling
