// SPDX-License-Identifier: MIT
//
// A process that a shield has stopped (SIGSTOP), as a change: it goes on (SIGCONT) when the shield goes off. For a
// daemon that has nothing to do but to undo what the shield does.
#pragma once

#include "change.hpp"

namespace maxlat::shield {

Standing paused_standing(const Change& change, const Surface& surface);
core::Status paused_apply(const Change& change, Surface& surface);
core::Status paused_undo(const Change& change, Surface& surface);

}  // namespace maxlat::shield
