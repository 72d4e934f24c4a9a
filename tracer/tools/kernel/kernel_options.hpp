// SPDX-License-Identifier: MIT
//
// The options of `maxlat trace record` about the kernel's events.
#pragma once

#include <boost/program_options.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "kernel_recording.hpp"

namespace maxlat::trace_tools {

boost::program_options::options_description kernel_options();

// REQUIRES: --kernel was given. `patterns`: those of -e that are about the kernel. What the recording as a whole
// decides (folder, session, who says what) is left empty. ERRORS: wrong, or what does not go together.
core::Result<KernelPlan> make_kernel_plan(const core::CommandLine& line, std::vector<std::string> patterns);

}  // namespace maxlat::trace_tools
