// SPDX-License-Identifier: MIT
//
// The limits that the command line of `maxlat gate` gives: an option for each row of the table of metrics that has one.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/reports/rule.hpp>
#include <vector>

namespace maxlat::reports {

void add_limit_options(boost::program_options::options_description& options);
// For each --phase, or for all. Empty: no limit is given. ERRORS: what is wrong with an option.
core::Result<std::vector<Rule>> limits_given(const core::CommandLine& line);

}  // namespace maxlat::reports
