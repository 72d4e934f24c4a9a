// SPDX-License-Identifier: MIT
//
// How `maxlat trace print`, `stats` and `check` begin: options, the one folder, and whether our own reader reads it.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct TraceToRead {
  core::CommandLine line;
  std::string folder;
  std::optional<std::vector<std::string>> foreign;  // foreign_trace(); nothing: ours
};

// Nothing: help was asked for, and printed. ERRORS: of the options; there is no trace, or none that can be read here.
core::Result<std::optional<TraceToRead>> parse_trace_to_read(const core::CommandHelp& help,
                                                             const boost::program_options::options_description& options,
                                                             const core::Arguments& arguments);

}  // namespace maxlat::trace_tools
