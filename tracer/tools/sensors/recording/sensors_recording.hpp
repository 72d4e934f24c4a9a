// SPDX-License-Identifier: MIT
//
// What `maxlat sensors record` does, from its plan to its exit status.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct SensorsRecordPlan {
  std::string directory{};
  std::vector<std::string> patterns{};  // none: all
  std::vector<std::string> command{};   // none: of programs that run
  std::uint64_t duration_ns = 0;        // 0: without an end
  std::uint64_t period_ns = 10'000'000;
  std::string start_on{}, stop_on{};  // patterns of events; empty: at once, and never
  std::string dump_on{};              // not empty: nothing until then, and then what lists hold
  std::string session{};              // not empty: the tracing session of that name, too
  bool quiet = false;
};

// ERRORS: the folder; a pattern that no sensor of a running program matches; the command cannot be started; the result
// cannot be written.
core::Result<core::Exit> record_sensors(const SensorsRecordPlan& plan);

}  // namespace maxlat::trace_tools
