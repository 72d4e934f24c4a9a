// SPDX-License-Identifier: MIT
//
// The options by which `maxlat trace print` and `stats` choose events, and what could not be read, told at the end.
#pragma once

#include <maxlat/core/cli_kit.hpp>
#include <maxlat/core/result.hpp>
#include <maxlat/trace/reader.hpp>
#include <memory>

namespace maxlat::trace_tools {

void add_filter_options(boost::program_options::options_description& options);

// The one folder that the command line names.
core::Result<std::string> the_trace(const core::CommandLine& line);

// That trace, through the filter. ERRORS: a pattern that no
// event of the trace matches, what cannot be a time.
core::Result<std::unique_ptr<trace::TraceReader>> open_filtered(const core::CommandLine& line);

// Tells on stderr what was broken. RETURNS: pass when nothing was, else invalid: what was read is not all.
core::Exit report_breaks(const std::vector<trace::TraceBreak>& breaks);

}  // namespace maxlat::trace_tools
