// SPDX-License-Identifier: MIT
//
// `maxlat hwlat`: hardware latency, with hwlatdetect's options (docs: maxlat-hwlat(1)).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::hwlat {

const core::Command& hwlat_command();

}  // namespace maxlat::hwlat
