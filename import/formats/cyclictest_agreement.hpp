// SPDX-License-Identifier: MIT
//
// What cyclictest says of a thread beside its rows must be of the samples in and beyond them.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::importing {

// ERRORS, with who: a minimum below every row; samples beyond the rows, of which the largest is in the last.
core::Status agrees_with_rows(const core::CpuResult& cpu, const std::string& who);

}  // namespace maxlat::importing
