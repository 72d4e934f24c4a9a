// SPDX-License-Identifier: MIT
#include <maxlat/core/sys/command.hpp>
#include <maxlat/trace_tools/trace_command.hpp>

#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

core::Result<core::Exit> run_trace(const core::Arguments& arguments) {
  static constexpr core::Command kRows[] = {
      {"list", "the programs that can be traced, and their events", &trace_list},
      {"record", "record the events of a program", &trace_record},
      {"snapshot", "write what a flight recorder holds", &trace_snapshot},
      {"start", "start a session of a running program", &trace_start},
      {"stop", "stop it", &trace_stop},
      {"enable", "enable events of a running program", &trace_enable},
      {"disable", "disable them", &trace_disable},
      {"print", "the events of a trace, one line each", &trace_print},
      {"stats", "events, bytes, rates, largest gaps and losses of a trace", &trace_stats},
      {"explain", "who had a CPU in an interval of a trace with the kernel's events", &trace_explain},
      {"check", "whether a trace keeps what traces promise; exit status 2 when not", &trace_check},
  };
  return core::run_of_family({"maxlat trace", "Records, controls and reads traces of programs that carry the tracer.",
                              kRows,
                              "  maxlat trace record -o DIR -- ./program    run a program and record its events\n"
                              "  maxlat trace print DIR                     what was recorded, one line an event\n"},
                             arguments);
}

}  // namespace

const core::Command& trace_command() {
  static const core::Command command = {"trace", "record, control and read traces of the embedded tracer", &run_trace};
  return command;
}

}  // namespace maxlat::trace_tools
