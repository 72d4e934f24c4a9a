// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <algorithm>
#include <vector>

#if __has_include(<maxlat/rteval_ext/run_command.hpp>)
#include <maxlat/rteval_ext/run_command.hpp>
#define MAXLAT_HAS_RUN
#endif
#if __has_include(<maxlat/rteval_ext/check_command.hpp>)
#include <maxlat/rteval_ext/check_command.hpp>
#define MAXLAT_HAS_CHECK
#endif
#if __has_include(<maxlat/npt/npt_command.hpp>)
#include <maxlat/npt/npt_command.hpp>
#define MAXLAT_HAS_NPT
#endif
#if __has_include(<maxlat/hwlat/hwlat_command.hpp>)
#include <maxlat/hwlat/hwlat_command.hpp>
#define MAXLAT_HAS_HWLAT
#endif
#if __has_include(<maxlat/loadgen/load_command.hpp>)
#include <maxlat/loadgen/load_command.hpp>
#define MAXLAT_HAS_LOAD
#endif
#if __has_include(<maxlat/reports/report_command.hpp>)
#include <maxlat/reports/report_command.hpp>
#define MAXLAT_HAS_REPORT
#endif
#if __has_include(<maxlat/reports/gate_command.hpp>)
#include <maxlat/reports/gate_command.hpp>
#define MAXLAT_HAS_GATE
#endif

namespace maxlat::cli {

std::span<const core::Command* const> commands() {
  static const std::vector<const core::Command*> table = {
#ifdef MAXLAT_HAS_RUN
      &rteval_ext::run_command(),
#endif
#ifdef MAXLAT_HAS_CHECK
      &rteval_ext::check_command(),
#endif
#ifdef MAXLAT_HAS_NPT
      &npt::npt_command(),
#endif
#ifdef MAXLAT_HAS_HWLAT
      &hwlat::hwlat_command(),
#endif
#ifdef MAXLAT_HAS_LOAD
      &loadgen::load_command(),
#endif
#ifdef MAXLAT_HAS_REPORT
      &reports::report_command(),
#endif
#ifdef MAXLAT_HAS_GATE
      &reports::gate_command(),
#endif
  };
  return table;
}

const core::Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const core::Command* c) { return c->name == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace maxlat::cli
