// SPDX-License-Identifier: MIT
//
// `maxlat report DIR_OR_JSON [-o FILE] [--text]`: makes the report of a stored run again.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::reports {

const core::Command& report_command();

}  // namespace maxlat::reports
