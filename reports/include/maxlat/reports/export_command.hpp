// SPDX-License-Identifier: MIT
//
// `maxlat export RUN --format NAME`: a run in the form that another program takes.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::reports {

const core::Command& export_command();

}  // namespace maxlat::reports
