// SPDX-License-Identifier: MIT
//
// The frame of every result, whoever measured: which program, which build of it, when, and a name of its own.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <string_view>

namespace maxlat::core {

// Of a run that `command` ("npt") began at `started` (utc_text) and ends now. id: "npt-2026-11-23T23:34:40Z-812", with
// the process's number.
RunResult run_frame(std::string_view command, const std::string& started);

// A measurement that ends with exit status 2 is a failure in its result, too. `why` is empty where it does not.
void say_failed(RunResult& run, const std::string& why);

}  // namespace maxlat::core
