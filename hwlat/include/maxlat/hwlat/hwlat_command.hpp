// SPDX-License-Identifier: MIT
//
// `maxlat hwlat`: hardware latency, with hwlatdetect's options (docs: maxlat-hwlat(1)).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::hwlat {

const core::Command& hwlat_command();
// Whether it would measure by these words, which it only reads; false: they ask for its help. ERRORS: as it would
// refuse them.
core::Result<bool> hwlat_would_measure(const core::Arguments& words);

}  // namespace maxlat::hwlat
