// SPDX-License-Identifier: MIT
//
// The options by which `maxlat trace print` and `stats` choose events, and what could not be read, told at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/reader.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace_tools {

void add_filter_options(boost::program_options::options_description& options);

inline constexpr const char* kNothingChosen = "no event of this trace is what the options choose";

// The one folder that the command line names.
core::Result<std::string> the_trace(const core::CommandLine& line);

// "app:step*", or "step*" of any provider and of the kernel, whose events have none.
bool event_matches(const std::string& pattern, const std::string& name);

struct ThreadRange {
  std::uint32_t first, last;
};
// Of --thread, "17,20-23".
core::Result<std::vector<ThreadRange>> parse_threads(std::string_view text);

// Of the trace's first event, what "+1.5s" counts from; 0 where there is none.
core::Result<std::int64_t> first_time_of(const std::string& folder);

// --begin and --end. `first_ns` is asked for the time of the trace's first event where it matters.
core::Status parse_times(const core::CommandLine& line, const std::function<core::Result<std::int64_t>()>& first_ns,
                         std::int64_t& begin_ns, std::int64_t& end_ns);

// The patterns of every -e, which separates them by commas, too.
core::Result<std::vector<std::string>> event_patterns(const core::CommandLine& line);

// Streams that the filter was asked for, and those that it took.
struct StreamChoice {
  std::string wanted;          // "CPU 0,2", in words; empty: all streams
  std::set<std::string> seen;  // "CPU 1", "thread 17"
  bool any = false;
};

struct FilteredTrace {
  std::unique_ptr<trace::TraceReader> reader;
  std::shared_ptr<const StreamChoice> streams;

  bool chosen = false;  // by any option

  // REQUIRES: everything was read. Says it when nothing of what is there was chosen. ERRORS: CPUs or threads were asked
  // for, and no buffer is theirs.
  core::Status something_matched(bool any_event) const;
};

// That trace, through the filter. ERRORS: a pattern that no event of the trace matches, what cannot be a time.
core::Result<FilteredTrace> open_filtered(const core::CommandLine& line);

// The options leave no stream out, nor the end of one: what its last packet tells is all that it lost.
bool reads_whole_streams(const core::CommandLine& line);

// Tells on stderr what was broken. RETURNS: pass when nothing was, else invalid: what was read is not all.
core::Exit report_breaks(const std::vector<trace::TraceBreak>& breaks);

}  // namespace maxlat::trace_tools
