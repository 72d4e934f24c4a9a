// SPDX-License-Identifier: MIT
//
// Which box a run is of, in one line for the top of page and summary: what a reader must know before the first figure.
// And which run.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

// A value of the fingerprint, empty when it has none.
std::string machine_value(const core::RunResult& run, std::string_view group, std::string_view name);
// Which box it is: what the user noted as "box"; else the hardware, which two boxes of one make have in common. Nothing
// where the run tells neither.
std::optional<std::string> box_of(const core::RunResult& run);
// "AMD EPYC 9B14, CPUs 0-1; Linux 6.1.0-27-rt-amd64, PREEMPT_RT"; empty without a fingerprint.
std::string box_text(const core::RunResult& run);
// Which run it is, piece by piece: its id, plan, beginning and end, the program and its build, what the user noted.
std::vector<std::string> run_facts(const core::RunResult& run);

}  // namespace maxlat::reports
