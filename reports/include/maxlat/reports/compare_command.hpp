// SPDX-License-Identifier: MIT
//
// `maxlat compare BASE OTHER...`: runs side by side, of ours or imported, and what is worse.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::reports {

const core::Command& compare_command();

}  // namespace maxlat::reports
