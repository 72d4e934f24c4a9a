// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <algorithm>
#include <array>
#include <maxlat/hwlat/hwlat_command.hpp>
#include <maxlat/import/import_command.hpp>
#include <maxlat/loadgen/load_command.hpp>
#include <maxlat/npt/npt_command.hpp>
#include <maxlat/reports/compare_command.hpp>
#include <maxlat/reports/export_command.hpp>
#include <maxlat/reports/gate_command.hpp>
#include <maxlat/reports/plan_length_command.hpp>
#include <maxlat/reports/report_command.hpp>
#include <maxlat/rteval_ext/check_command.hpp>
#include <maxlat/rteval_ext/run_command.hpp>
#include <maxlat/rteval_ext/words_checks.hpp>
#include <maxlat/scheduling/cyclic_command.hpp>
#include <maxlat/scheduling/preempt_command.hpp>
#include <maxlat/shield/shield_command.hpp>
#include <maxlat/trace_tools/sensors_command.hpp>
#include <maxlat/trace_tools/trace_command.hpp>

namespace maxlat::cli {

std::span<const core::Command* const> commands() {
  static const std::array table = {
      &rteval_ext::run_command(), &rteval_ext::check_command(), &npt::npt_command(),
      &hwlat::hwlat_command(), &scheduling::cyclic_command(), &scheduling::preempt_command(),
      &loadgen::load_command(), &trace_tools::trace_command(), &trace_tools::sensors_command(),
      &reports::report_command(), &reports::gate_command(), &reports::compare_command(),
      &importing::import_command(), &reports::export_command(), &reports::plan_length_command(),
      &shield::shield_command(),
  };
  return table;
}

const core::Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const core::Command* c) { return c->name == name; });
  return found == all.end() ? nullptr : *found;
}

void announce_meters() {
  rteval_ext::words_checks() = {{"npt", npt::npt_would_measure},
                                {"hwlat", hwlat::hwlat_would_measure},
                                {"cyclic", scheduling::cyclic_would_measure},
                                {"preempt", scheduling::preempt_would_measure}};
}

}  // namespace maxlat::cli
