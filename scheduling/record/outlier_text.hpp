// SPDX-License-Identifier: MIT
//
// The largest samples of a phase as text, with who had their time where somebody knows.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <string_view>

namespace maxlat::scheduling {

// Without `all` the largest alone, and only where somebody knows who had its time; "" when there is nothing to say.
// `name` of one of them, "The latest wake-up"; of several it ends with an s.
std::string outlier_text(const core::Phase& phase, std::string_view name, bool all);

}  // namespace maxlat::scheduling
