// SPDX-License-Identifier: MIT
//
// The pre-flight table as text: a row per setting in its group, then why and fix of each row that needs them.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <string>
#include <vector>

namespace maxlat::rteval_ext {

struct CheckCounts {
  size_t ok = 0, bad = 0, unknown = 0, info = 0;
};

struct CheckTextStyle {
  size_t width = core::kScreenWidth;    // at least 80
  bool colour = false;   // escape sequences for a terminal
  bool verbose = false;  // observed values whole, and the reason of every row
};

CheckCounts count(const std::vector<core::SettingObservation>& rows);
std::string check_table(const std::vector<core::SettingObservation>& rows, const CheckTextStyle& style);
// Why and fix of the bad rows, then what the unknown ones say; with `verbose` why and fix of all.
std::string check_reasons(const std::vector<core::SettingObservation>& rows, const CheckTextStyle& style);
// "34 settings: 14 ok, 11 bad, 6 unknown, 3 for information".
std::string check_summary(const CheckCounts& counts);

// With --strict: what is bad fails, and what is not known is not passed.
core::Exit strict_exit(const CheckCounts& counts);

}  // namespace maxlat::rteval_ext
