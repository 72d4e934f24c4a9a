// SPDX-License-Identifier: MIT
//
// `maxlat import FILE`: another tool's result as a run of ours, for report and gate.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::importing {

const core::Command& import_command();

}  // namespace maxlat::importing
