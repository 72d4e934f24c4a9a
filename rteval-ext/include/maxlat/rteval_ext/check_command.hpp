// SPDX-License-Identifier: MIT
//
// `maxlat check`: what is set on this machine, what should be, why, and how to set it; reads only (docs:
// maxlat-check(1)). The settings are core's table, core/machine/settings.hpp.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::rteval_ext {

const core::Command& check_command();

}  // namespace maxlat::rteval_ext
