// SPDX-License-Identifier: MIT
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>

namespace maxlat::reports {

void add_series_options(boost::program_options::options_description& options);
// `maxlat report --series`, from its parsed command line.
core::Result<core::Exit> report_series(const core::CommandLine& line);

}  // namespace maxlat::reports
