// SPDX-License-Identifier: MIT
//
// `maxlat trace SUBCOMMAND`: recording, controlling and reading traces of the embedded tracer.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::trace_tools {

const core::Command& trace_command();

}  // namespace maxlat::trace_tools
