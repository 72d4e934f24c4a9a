// SPDX-License-Identifier: MIT
//
// `maxlat sensors SUBCOMMAND`: the values that running programs show.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::trace_tools {

const core::Command& sensors_command();

}  // namespace maxlat::trace_tools
