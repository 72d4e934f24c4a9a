// SPDX-License-Identifier: MIT
//
// `maxlat load`: supervised loads by hand, and `maxlat load control`, the positive control by hand.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::loadgen {

const core::Command& load_command();

}  // namespace maxlat::loadgen
