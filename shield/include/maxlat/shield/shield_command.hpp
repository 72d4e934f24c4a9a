// SPDX-License-Identifier: MIT
//
// `maxlat shield`, for the table of commands in cli/. From a program, use shield.hpp instead.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::shield {

const core::Command& shield_command();

}  // namespace maxlat::shield
