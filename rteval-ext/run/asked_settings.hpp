// SPDX-License-Identifier: MIT
//
// What a plan asks of the machine's settings ([settings] in a plan), against what was observed. A setting that is not
// known is not as it was asked for.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace maxlat::rteval_ext {

// ERRORS: a setting that the plan cannot do without is not as it should be (77).
core::Status require_settings(const Plan& plan, const std::vector<core::SettingObservation>& observed);

// Adds a sentence to `why` for each setting that is not as the plan asks, unless it is there. One that the plan
// requires counts, too: it was right when the run began, and may have changed since.
void add_not_comparable(const Plan& plan, const std::vector<core::SettingObservation>& observed,
                        std::vector<std::string>& why);

}  // namespace maxlat::rteval_ext
