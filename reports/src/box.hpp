// SPDX-License-Identifier: MIT
//
// Which box a run is of, in one line for the top of page and summary: what a reader must know before the first figure.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <string_view>

namespace maxlat::reports {

// A value of the fingerprint, empty when it has none.
std::string machine_value(const core::RunResult& run, std::string_view group, std::string_view name);
// "AMD EPYC 9B14, CPUs 0-1; Linux 6.1.0-27-rt-amd64, PREEMPT_RT"; empty without a fingerprint.
std::string box_text(const core::RunResult& run);

}  // namespace maxlat::reports
