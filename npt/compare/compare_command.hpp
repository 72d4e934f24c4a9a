// SPDX-License-Identifier: MIT
//
// `maxlat npt --compare` and `--find-max-rate`: the parts of this folder, put together around child processes.
#pragma once

#include <maxlat/core/sys/command.hpp>

#include "command/options.hpp"

namespace maxlat::npt {

// REQUIRES: arguments.compared_arms is not empty. `words`: the command line, for the record.
core::Result<core::Exit> run_comparison(const NptArguments& arguments, const core::Arguments& words);
// REQUIRES: arguments.rated_arms is not empty.
core::Result<core::Exit> run_rate_search(const NptArguments& arguments, const core::Arguments& words);

}  // namespace maxlat::npt
