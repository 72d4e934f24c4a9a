// SPDX-License-Identifier: MIT
//
// A plan from TOML text (format: docs/plan.md). The built-in profiles are such texts too and take the same way.
//
// ERRORS: a syntax error, an unknown key, a wrong type, a duplicate phase name, a duration of 0: one line that begins
// with "FILE:LINE: ". A plan is never half understood: what is not known is refused, because a limit with a typing
// error in its name would be a limit that is never checked.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>

#include "plan.hpp"

namespace maxlat::rteval_ext {

core::Result<Plan> parse_plan(std::string_view text, const std::string& file_name);

}  // namespace maxlat::rteval_ext
