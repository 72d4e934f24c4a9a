// SPDX-License-Identifier: MIT
//
// `maxlat trace list --kernel`: what maxlat_trace.ko can record, with the fields that the events have in a trace.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

// ERRORS: as wanted_kernel_events().
core::Status list_kernel_events(const std::vector<std::string>& patterns);

}  // namespace maxlat::trace_tools
