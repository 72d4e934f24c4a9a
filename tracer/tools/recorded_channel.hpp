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
#include <maxlat/core/cli_kit.hpp>
#include <maxlat/trace/session.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct RecordedChannel {
  trace::ChannelOptions options;
  std::vector<std::string> patterns = {"*:*"};
  trace::Level level = trace::Level::debug;  // and those more urgent

  // What makes it and fills it, in the words of the control protocol.
  std::vector<std::string> requests(const std::string& session) const;
};

boost::program_options::options_description channel_options();

// ERRORS: what every program would refuse, too; found by asking a session of this process.
core::Result<std::vector<RecordedChannel>> recorded_channels(const core::CommandLine& line, const std::string& session);

}  // namespace maxlat::trace_tools
