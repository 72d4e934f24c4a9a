// SPDX-License-Identifier: MIT
//
// The channels that `maxlat trace record` makes in each program: one of the general options (-e, --size, ...), or those
// that are named.
//
//   --channel fast:motor:*,mode=overwrite,size=64k --channel rest:*:*,level=4
//
// A channel has a name of its own, patterns of events, and options; what it does not say, the general options do. An
// event that several channels want is recorded in each.
#pragma once

#include <boost/program_options.hpp>
#include <chrono>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/trace/session.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct RecordedChannel {
  trace::ChannelOptions options;
  std::vector<std::string> patterns = {"*:*"};
  trace::Level level = trace::Level::debug;  // and those more urgent
  std::chrono::nanoseconds flush{0};         // RecorderOptions::flush_of

  // What makes it and fills it, in the words of the control protocol.
  std::vector<std::string> requests(const std::string& session) const;
};

boost::program_options::options_description channel_options();

// A number of bytes, or with k, M or G: 64k or 1M.
core::Status set_bytes(std::uint64_t& option, const std::string& text);

// A time with its unit, at most 100 years: no time that any clock here tells overflows with it.
core::Result<std::chrono::nanoseconds> parse_span(const std::string& text,
                                                  std::string_view bare_unit = core::kUnitNeeded);
// What may be done so often. ERRORS: more often than every 20 us.
core::Status not_too_often(std::chrono::nanoseconds period);

// `patterns`: those of -e that are about programs; nothing: there is no -e. ERRORS: what every program would refuse,
// too; found by asking a session of this process.
core::Result<std::vector<RecordedChannel>> recorded_channels(const core::CommandLine& line, const std::string& session,
                                                             const std::optional<std::vector<std::string>>& patterns);

}  // namespace maxlat::trace_tools
