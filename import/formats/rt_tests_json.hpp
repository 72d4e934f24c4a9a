// SPDX-License-Identifier: MIT
//
// How the --json files of rt-tests are read, as far as they are the same for all of its tools.
//
// Two keys carry a stray colon ("cmdline:", "rt_test_version:") that newer versions may drop, so both spellings are
// read.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/import/rt_tests_head.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace maxlat::importing {

// Whether it is such a file, and of this tool.
bool is_rt_tests_json(std::string_view beginning, std::string_view tool);

// These throw a Mistake (json_reading.hpp): another tool's file, a schema that we do not know, a run that failed; no
// thread; no number of a CPU.
RtTestsHead rt_tests_head(const nlohmann::json& document, std::string_view tool);
const nlohmann::json& rt_tests_threads(const nlohmann::json& document);
unsigned rt_tests_cpu(const nlohmann::json& thread, const std::string& who);

// What the head tells of a phase.
void tell_of(const RtTestsHead& head, core::Phase& phase);

// Of "-i100", "-i 100", "-qi100", "--interval=100", "--interval 100": 100; the last where there are several.
std::optional<double> option_us(const std::string& command, char letter, std::string_view name);

}  // namespace maxlat::importing
