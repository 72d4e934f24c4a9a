// SPDX-License-Identifier: MIT
#include "sensors_commands.hpp"

#include <maxlat/core/sys/command.hpp>
#include <maxlat/trace_tools/sensors_command.hpp>

#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

core::Result<core::Exit> run_sensors(const core::Arguments& arguments) {
  static constexpr core::Command kRows[] = {
      {"list", "the sensors of running programs", &sensors_list},
      {"get", "their values now, and the last events of lists", &sensors_get},
      {"watch", "their values again and again", &sensors_watch},
      {"record", "events to a trace, and values to a result", &sensors_record},
      {"stats", "how often they are posted to, and how large a list should be", &sensors_stats},
      {"check", "whether gauges are within their limits, and lists of events as they should be", &sensors_check},
      {"print", "the events of a recording: `maxlat trace print`", &trace_print},
      {"export", "values for a monitoring system, as OpenMetrics text", &sensors_export},
      {"directory", "keeps the sensors of programs that end, and shows them to whom it may", &sensors_directory},
  };
  return core::run_of_family(
      {"maxlat sensors",
       "Reads the sensors of running programs: counters, gauges, histograms, last events, in memory that they share.\n"
       "The programs do not notice.",
       kRows,
       "  maxlat sensors list                         which there are\n"
       "  maxlat sensors watch -i 500ms 'server/*'    the values of one group, twice a second\n"},
      arguments);
}

}  // namespace

const core::Command& sensors_command() {
  static const core::Command command = {
      "sensors", "read counters, gauges, histograms and last events of running programs", &run_sensors};
  return command;
}

}  // namespace maxlat::trace_tools
