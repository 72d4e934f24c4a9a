// SPDX-License-Identifier: MIT
//
// `maxlat trace print`, `stats`, `check` and `explain` of traces that are not ours (foreign_trace.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explain/explained_interval.hpp"
#include "foreign_trace.hpp"
#include "read/moment_writer.hpp"
#include "read/read_filter.hpp"

namespace maxlat::trace_tools {

// The folders in it to be read through the library; nothing: our own reader reads it. ERRORS: nobody here can.
core::Result<std::optional<std::vector<std::string>>> foreign_trace(const std::string& folder);

// Each in a process of its own. RETURNS: the command's exit status. ERRORS: the library was ended by a signal.
core::Result<core::Exit> print_foreign(const core::CommandLine& line, const std::vector<std::string>& folders,
                                       PrintStyle style);
core::Result<core::Exit> count_foreign(const core::CommandLine& line, const std::vector<std::string>& folders);
core::Result<core::Exit> check_foreign(const core::CommandLine& line, const std::vector<std::string>& folders);

// Of `maxlat trace explain`: the request, for which the time of the first event may be needed, and the answer.
using FirstTime = std::function<core::Result<std::int64_t>()>;
using ForeignRequest = std::function<core::Result<ExplainRequest>(const FirstTime& first_ns)>;
using ForeignExplanation = std::function<std::string(const ExplainRequest&, const ExplainedInterval&)>;
core::Result<core::Exit> explain_foreign(const ForeignRequest& request, const ForeignExplanation& text,
                                         const std::vector<std::string>& folders);
// Of the trace's first event, in the process that reads; 0 where there is none.
core::Result<std::int64_t> foreign_first_ns(const std::vector<std::string>& folders);

// What a child process makes of it, and what it has to say on stderr, each a line.
using ForeignRead = std::function<core::Result<core::Exit>(std::vector<std::string>& say)>;
// The child ends with us, and when it comes no further (foreign_came_further()) for `limit` of processor time, twice as
// much at most; what it says then names `folders`.
inline constexpr std::chrono::milliseconds kStandstill{30'000};
core::Result<core::Exit> isolated(const std::vector<std::string>& folders, const ForeignRead& read,
                                  std::chrono::milliseconds limit = kStandstill);

void say_breaks(const std::vector<trace::TraceBreak>& breaks, std::vector<std::string>& say);

// The events that the options of a command line choose.
class ForeignFilter {
 public:
  // Reads the first event, where a time counts from it.
  static core::Result<ForeignFilter> of(const core::CommandLine& line, const std::vector<std::string>& folders);

  enum class Answer { take, leave, end };
  Answer ask(const ForeignEvent& event);
  bool takes(const ForeignLoss& loss) const;
  // REQUIRES: everything was asked for. ERRORS: a pattern that no event matches, CPUs or threads that the trace has
  // not. Events that were chosen by time or by both, and are none: told on `say`.
  core::Status something_matched(std::vector<std::string>& say) const;

 private:
  bool wants_owner(const ForeignEvent& event);

  std::vector<std::string> patterns_;
  std::set<std::string> matched_;                         // of the patterns
  std::set<std::string, std::less<>> wanted_, unwanted_;  // names of events, as far as they were met
  std::optional<core::CpuList> cpus_;
  std::optional<std::vector<ThreadRange>> threads_;
  bool any_owner_ = false;
  bool any_event_ = false;
  std::int64_t begin_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace maxlat::trace_tools
