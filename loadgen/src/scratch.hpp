// SPDX-License-Identifier: MIT
//
// Where a load may write: TMPDIR, else /var/tmp, which is on a disk by convention (/tmp is often memory, and a disk
// load in memory would be none).
#pragma once

#include <string>

namespace maxlat::loadgen {

std::string scratch_directory();

}  // namespace maxlat::loadgen
