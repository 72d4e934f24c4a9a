// SPDX-License-Identifier: MIT
//
// The command line of `maxlat preempt`.
#pragma once

#include <maxlat/core/sys/command.hpp>
#include <optional>
#include <string>

#include "preempt_measure.hpp"

namespace maxlat::scheduling {

struct PreemptOptions {
  PreemptSettings settings;
  std::string json_path;
  uint64_t snapshot_period_ns = 0;  // 0: only at the end
  bool quiet = false, verbose = false;
};

// Nothing when help was asked for, and printed. ERRORS: a mistake on the command line; a CPU that cannot be used.
core::Result<std::optional<PreemptOptions>> parse_preempt_options(const core::Arguments& arguments);

}  // namespace maxlat::scheduling
