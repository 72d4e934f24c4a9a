// SPDX-License-Identifier: MIT
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::npt {

const core::Command& npt_command();

}  // namespace maxlat::npt
