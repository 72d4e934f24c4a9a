// SPDX-License-Identifier: MIT
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::shield {

const core::Command& shield_command();

}  // namespace maxlat::shield
