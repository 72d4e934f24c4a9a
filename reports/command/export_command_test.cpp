// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/reports/export_command.hpp>
#include <maxlat/reports/report_command.hpp>

#include "test/test_commands.hpp"
#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using test::error_of;
using test::ran;
using test::status_of;
using ::testing::HasSubstr;
using ::testing::Not;

class ExportCommand : public test::CommandsOfARun {};

// A defect: a phase that failed before its first sample was nowhere in what a monitoring system reads.
TEST_F(ExportCommand, AFailedPhaseWithoutSamplesIsToldToAMonitoringSystem) {
  auto run = test::single_phase_run();
  const auto add = [&](const char* name, const char* kind, core::PhaseStatus status) {
    core::Phase& phase = run.phases.emplace_back();
    phase.name = name;
    phase.kind = kind;
    phase.status = status;
  };
  add("ct", "cyclictest", core::PhaseStatus::failed);
  add("absent", "cyclictest", core::PhaseStatus::skipped);
  add("pre-flight", "preflight", core::PhaseStatus::ok);
  ASSERT_TRUE(core::write_run(result(), run));
  const auto metrics = ran(export_command(), {result(), "--format", "openmetrics"});
  EXPECT_THAT(metrics.printed, HasSubstr("maxlat_phase_valid{phase=\"npt\",kind=\"npt\"} 1\n"));
  EXPECT_THAT(metrics.printed, HasSubstr("maxlat_phase_valid{phase=\"ct\",kind=\"cyclictest\"} 0\n"));
  EXPECT_THAT(metrics.printed, HasSubstr("maxlat_phase_valid{phase=\"absent\",kind=\"cyclictest\"} 0\n"));
  EXPECT_THAT(metrics.printed, Not(HasSubstr("pre-flight"))) << "it is not to measure";
  const auto alone = ran(export_command(), {result(), "--format", "openmetrics", "--phase", "ct"});
  EXPECT_EQ(status_of(alone), core::Exit::pass) << error_of(alone);
  EXPECT_THAT(ran(export_command(), {result(), "--format", "csv"}).printed, Not(HasSubstr("ct,")));
  EXPECT_EQ(status_of(ran(export_command(), {result(), "--format", "csv", "--phase", "ct"})), core::Exit::error);
}

// A defect: of samples above a threshold alone, quantiles and means went out that the gate calls not measured.
TEST_F(ExportCommand, WhatIsNotOfAllSamplesIsNoQuantileAnywhere) {
  auto run = test::single_phase_run();
  ASSERT_TRUE(core::write_run(folder_ / "whole.json", run));
  run.phases[0].facts[core::fact::kOnlyAbove] = "1us";
  ASSERT_TRUE(core::write_run(result(), run));
  const auto exported = [&](const std::string& from, const char* format) {
    return ran(export_command(), {from, "--format", format}).printed;
  };
  for (const auto& [format, figure] : {std::pair{"csv", ",,,,,,,,,,"},
                                       {"openmetrics", "quantile="},
                                       {"openmetrics", "_bucket{"},
                                       {"rteval", "<median"},
                                       {"rteval", "<mean"}}) {
    const bool empty = figure[0] == ',';
    EXPECT_EQ(exported(result(), format).find(figure) != std::string::npos, empty) << format << ' ' << figure;
    EXPECT_EQ(exported(folder_ / "whole.json", format).find(figure) == std::string::npos, empty) << format;
  }
  EXPECT_THAT(exported(result(), "openmetrics"), HasSubstr("maxlat_latency_max_seconds{"));
  EXPECT_THAT(exported(result(), "rteval"), HasSubstr("<maximum"));
  const auto row = [&](const std::string& from, const char* form) {
    const std::string text = ran(report_command(), {"--format", form, "--width", "100", from}).printed;
    const size_t at = text.find(form == std::string("md") ? "| npt |" : "\n  npt ");
    return text.substr(at, text.find('\n', at + 1) - at);
  };
  for (const auto& [form, none] : {std::pair{"md", "(\\| - ){7}"}, {"text", "ns +- +- +- +22"}}) {
    EXPECT_THAT(row(result(), form), ::testing::ContainsRegex(none));
    EXPECT_THAT(row(folder_ / "whole.json", form), Not(::testing::ContainsRegex(none)));
  }
}

}  // namespace
}  // namespace maxlat::reports
