// SPDX-License-Identifier: MIT
//
// The options of --compare and --find-max-rate, and which of the others are handed on to the process of each arm.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>

#include "command/options.hpp"

namespace maxlat::npt {

void add_compare_options(boost::program_options::options_description& table);

// Fills the arms, rounds, seed and options for each process. ERRORS: an unknown arm, one arm alone, both at once, an
// option that makes sense for a single run only.
core::Status read_compare_options(const core::CommandLine& line, NptArguments& arguments);

}  // namespace maxlat::npt
