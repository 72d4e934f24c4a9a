// SPDX-License-Identifier: MIT
//
// Compared runs as a page: verdict first, then what differs in the machine, then each phase with its curves.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>

#include "compared_runs.hpp"

namespace maxlat::reports {

// ERRORS: gnuplot fails; the file cannot be written.
core::Status write_compare_page(const ComparedRuns& compared, const std::string& path);

}  // namespace maxlat::reports
