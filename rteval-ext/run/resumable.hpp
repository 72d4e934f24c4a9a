// SPDX-License-Identifier: MIT
//
// Whether what is measured next belongs to what was measured before: one machine, one kernel, one build of maxlat. And
// what of the machine has changed meanwhile.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::rteval_ext {

// "governor changed during the run: it was powersave, it is performance"
std::vector<std::string> differences(const std::vector<core::SettingObservation>& before,
                                     const std::vector<core::SettingObservation>& after);

// ERRORS: the first value of processor or kernel that differs, in full, and the names of the others.
core::Status require_same_machine(const std::vector<core::FingerprintGroup>& before,
                                  const std::vector<core::FingerprintGroup>& after);
// ERRORS: the run began with another build.
core::Status require_same_build(const core::RunResult& run);

}  // namespace maxlat::rteval_ext
