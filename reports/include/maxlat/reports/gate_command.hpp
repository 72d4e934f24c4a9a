// SPDX-License-Identifier: MIT
//
// `maxlat gate RESULT [limits]`: judges a stored run by limits from the command line.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::reports {

const core::Command& gate_command();

}  // namespace maxlat::reports
