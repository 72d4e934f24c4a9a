// SPDX-License-Identifier: MIT
//
// `maxlat load control`: plants stalls beside a meter that somebody else runs, and prints what was planted.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <maxlat/core/sys/cli_kit.hpp>

namespace maxlat::loadgen {

boost::program_options::options_description control_options();
// REQUIRES: a line parsed with control_options() and "cpus".
core::Result<core::Exit> run_control(const core::CommandLine& line);

}  // namespace maxlat::loadgen
