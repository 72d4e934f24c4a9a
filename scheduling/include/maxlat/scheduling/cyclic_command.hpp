// SPDX-License-Identifier: MIT
//
// `maxlat cyclic`: how late does a real-time thread run after its timer? (docs: maxlat-cyclic(1)).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::scheduling {

const core::Command& cyclic_command();

}  // namespace maxlat::scheduling
