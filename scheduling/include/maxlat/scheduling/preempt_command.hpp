// SPDX-License-Identifier: MIT
//
// `maxlat preempt`: does a higher priority preempt, and how fast? (docs: maxlat-preempt(1)).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::scheduling {

const core::Command& preempt_command();

}  // namespace maxlat::scheduling
