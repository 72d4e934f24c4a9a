// SPDX-License-Identifier: MIT
//
// `maxlat preempt`: does a higher priority preempt, and how fast? (docs: maxlat-preempt(1)).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::scheduling {

const core::Command& preempt_command();
// Whether it would measure by these words, which it only reads; false: they ask for its help. ERRORS: as it would
// refuse them.
core::Result<bool> preempt_would_measure(const core::Arguments& words);

}  // namespace maxlat::scheduling
