// SPDX-License-Identifier: MIT
//
// `maxlat plan-length [RUN]`: how long a run has to be to show that a limit is hardly ever exceeded, and what a run
// shows of it.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::reports {

const core::Command& plan_length_command();

}  // namespace maxlat::reports
