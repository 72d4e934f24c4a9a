// SPDX-License-Identifier: MIT
//
// `maxlat npt`, for the table of commands in cli/. From a program, call measure() in measure.hpp instead.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::npt {

const core::Command& npt_command();
// Whether it would measure by these words, which it only reads; false: they ask for its help. ERRORS: as it would
// refuse them.
core::Result<bool> npt_would_measure(const core::Arguments& words);

}  // namespace maxlat::npt
