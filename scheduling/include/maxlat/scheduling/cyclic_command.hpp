// SPDX-License-Identifier: MIT
//
// `maxlat cyclic`: how late does a real-time thread run after its timer? (docs: maxlat-cyclic(1)).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::scheduling {

const core::Command& cyclic_command();
// Whether it would measure by these words, which it only reads; false: they ask for its help. ERRORS: as it would
// refuse them.
core::Result<bool> cyclic_would_measure(const core::Arguments& words);

}  // namespace maxlat::scheduling
