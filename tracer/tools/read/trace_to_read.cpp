// SPDX-License-Identifier: MIT
#include "trace_to_read.hpp"

#include "foreign/foreign_command.hpp"
#include "read_filter.hpp"

namespace maxlat::trace_tools {

core::Result<std::optional<TraceToRead>> parse_trace_to_read(const core::CommandHelp& help,
                                                             const boost::program_options::options_description& options,
                                                             const core::Arguments& arguments) {
  auto line = core::parse_or_help(help, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<TraceToRead>();
  auto folder = the_trace(**line);
  if (!folder) return folder.error();
  auto foreign = foreign_trace(*folder);
  if (!foreign) return foreign.error();
  return std::optional<TraceToRead>({**std::move(line), *std::move(folder), *std::move(foreign)});
}

}  // namespace maxlat::trace_tools
