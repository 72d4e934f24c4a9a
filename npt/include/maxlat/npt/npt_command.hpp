// SPDX-License-Identifier: MIT
//
// `maxlat npt`, for the table of commands in cli/. From a program, call measure() in measure.hpp instead.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::npt {

const core::Command& npt_command();

}  // namespace maxlat::npt
