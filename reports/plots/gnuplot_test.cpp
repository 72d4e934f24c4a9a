// SPDX-License-Identifier: MIT
#include "gnuplot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <maxlat/core/sys/process.hpp>
#include <sstream>

#include "gnuplot_script.hpp"
#include "plots.hpp"
#include "svg_clean.hpp"
#include "test/test_environment.hpp"
#include "test/test_runs.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(GnuplotScript, QuotesSoThatNothingIsRun) {
  EXPECT_EQ(gnuplot_quote("it's `id` @x \"y\" \\n\n$z"), "'it''s `id` @x \"y\" \\n $z'");
}

TEST(GnuplotScript, HoldsEveryPoint) {
  const auto run = test::single_phase_run();
  for (const auto& plot : plots_of(PhaseView(run.phases[0]))) {
    const std::string script = gnuplot_script(plot, "p0", "/tmp/x.svg");
    size_t points = 0, lines = 0;
    bool inside = false;
    std::istringstream in(script);
    for (std::string line; std::getline(in, line);) {
      if (line == "EOD") inside = false;
      if (inside && !line.empty()) ++lines;
      if (line.ends_with("<< EOD")) inside = true;
    }
    for (const auto& series : plot.series) {
      for (const auto& stroke : series.strokes) points += stroke.size();
    }
    EXPECT_EQ(lines, points) << plot.kind;
  }
}

TEST(GnuplotTest, DrawsEveryPlotWithEveryPoint) {
  if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const auto run = test::typical_run();
  const auto plots = plots_of(PhaseView(run.phases[4]));
  const auto drawings = draw(plots);
  ASSERT_TRUE(drawings) << drawings.error().text;
  ASSERT_EQ(drawings->size(), plots.size());
  for (size_t i = 0; i < plots.size(); ++i) {
    EXPECT_TRUE(clean_svg((*drawings)[i], plot_id(i), plots[i])) << plots[i].title;
    EXPECT_THAT((*drawings)[i], HasSubstr(plot_id(i) + "_plot_" + std::to_string(plots[i].series.size())))
        << plots[i].title;
  }
}

// A text of the user in every place where a text goes: gnuplot would run what stands between backticks.
TEST(GnuplotTest, RunsNothingOfTheUsers) {
  if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const test::TemporaryFolder folder;
  const std::string witness = folder / "witness";
  const std::string hostile = "`touch " + witness + "` '.system('touch " + witness + "').' %d {/Bold x}";
  auto plot = plots_of(PhaseView(test::single_phase_run().phases[0])).front();
  plot.title = plot.x.label = plot.y.label = plot.x.tics[0].label = plot.marks[0].label = plot.series[0].name = hostile;
  const auto drawings = draw({plot});
  ASSERT_TRUE(drawings) << drawings.error().text;
  EXPECT_FALSE(std::filesystem::exists(witness));
  EXPECT_THAT(*clean_svg(drawings->front(), "p0", plot), HasSubstr("%d {/Bold x}"));
}

TEST(GnuplotTest, MissingGnuplotIsNamedWithItsPackage) {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable path("PATH", folder.path());
  if (!core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is in /usr/sbin";
  const auto drawings = draw(plots_of(PhaseView(test::single_phase_run().phases[0])));
  ASSERT_FALSE(drawings);
  EXPECT_THAT(drawings.error().text, HasSubstr("gnuplot is not installed"));
  EXPECT_THAT(drawings.error().hint, HasSubstr("gnuplot-nox"));
}

// A gnuplot that dies at once must not take us with it (SIGPIPE), and must not give an empty report.
TEST(GnuplotTest, AGnuplotThatDiesIsAnError) {
  const test::TemporaryFolder folder;
  folder.write("gnuplot", "#!/bin/sh\necho 'line 0: no such terminal' >&2\nexit 1\n");
  std::filesystem::permissions(folder / "gnuplot", std::filesystem::perms::owner_all);
  const test::EnvironmentVariable path("PATH", folder.path() + ":" + std::getenv("PATH"));
  for (int i = 0; i < 20; ++i) {
    const auto drawings = draw(plots_of(PhaseView(test::single_phase_run().phases[0])));
    ASSERT_FALSE(drawings);
    EXPECT_THAT(drawings.error().text, HasSubstr("no such terminal"));
  }
}

TEST(GnuplotTest, LeavesNoTemporaryFiles) {
  if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable tmpdir("TMPDIR", folder.path());
  ASSERT_TRUE(draw(plots_of(PhaseView(test::single_phase_run().phases[0]))));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(GnuplotTest, NoRoomForTemporaryFilesIsAnError) {
  if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const auto error_with = [](const std::string& place) {
    const test::EnvironmentVariable tmpdir("TMPDIR", place);
    const auto drawings = draw(plots_of(PhaseView(test::single_phase_run().phases[0])));
    return drawings ? "none" : drawings.error().text;
  };
  EXPECT_THAT(error_with("/proc/self"), HasSubstr("cannot make a folder in /proc/self: "));
  EXPECT_THAT(error_with("/no/such/folder"), HasSubstr("cannot use TMPDIR: "));  // and not: anywhere else
}

}  // namespace
}  // namespace maxlat::reports
