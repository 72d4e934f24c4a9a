// SPDX-License-Identifier: MIT
//
// Without a browser, and with one that fails. What Chromium makes of a page is looked at in tests/e2e.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/reports/report.hpp>

#include "test/test_environment.hpp"

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Pdf : public ::testing::Test {
 protected:
  // A program in the place of Chromium, with the page's PDF as its $pdf.
  void put_browser(const std::string& script) {
    folder_.write(
        "bin/chromium",
        "#!/bin/sh\nfor word; do case $word in --print-to-pdf=*) pdf=${word#*=};; esac; done\n" + script + "\n");
    fs::permissions(folder_ / "bin/chromium", fs::perms::owner_all);
  }
  test::TemporaryFolder folder_;
  const test::EnvironmentVariable scratch_{"TMPDIR", folder_.path()};
  const test::EnvironmentVariable path_{"PATH", (folder_ / "bin") + ":/bin"};
};

TEST_F(Pdf, IsWhatTheBrowserPrinted) {
  put_browser("printf '%%PDF-of the page' >\"$pdf\"");
  const auto pdf = pdf_of("<p>");
  ASSERT_TRUE(pdf) << pdf.error().text;
  EXPECT_EQ(*pdf, "%PDF-of the page");
}

TEST_F(Pdf, WithoutABrowserIsAnErrorThatNamesIt) {
  const test::EnvironmentVariable nowhere("PATH", folder_.path());
  if (!core::find_program("chromium").empty()) GTEST_SKIP() << "chromium is in /usr/sbin";
  const auto pdf = pdf_of("<p>");
  ASSERT_FALSE(pdf);
  EXPECT_EQ(pdf.error().text, "cannot make a PDF: Chromium is not installed");
  EXPECT_THAT(pdf.error().hint, HasSubstr("apt install chromium"));
  EXPECT_EQ(pdf.error().exit_status, core::Exit::cannot_run);
}

TEST_F(Pdf, OfABrowserThatFailsIsAnErrorWithItsEnd) {
  for (const auto& [script, end] : {std::pair{"exit 7", "exit status 7"},
                                    {"kill -9 $$", "signal 9"},
                                    {"printf '%%PDF-half' >\"$pdf\"; exit 1", "exit status 1"},
                                    {"printf '<html>' >\"$pdf\"", "made no PDF"}}) {
    put_browser(script);
    const auto pdf = pdf_of("<p>");
    ASSERT_FALSE(pdf) << script;
    EXPECT_THAT(pdf.error().text, AllOf(HasSubstr("chromium made no PDF"), HasSubstr(end))) << script;
    EXPECT_EQ(pdf.error().text.find('\n'), std::string::npos);
  }
}

// A defect: the browser's profile stayed in /tmp. In a process of its own, for a stop is one of the whole process.
TEST_F(Pdf, AStopLeavesNothingBehind) {
  put_browser("kill -TERM $PPID; exec sleep 1000");
  const auto in_a_process_of_its_own = [&] {
    core::catch_stop_signals();
    const auto pdf = pdf_of("<p>");
    bool right = !pdf && pdf.error().text == "the PDF was not made: stopped";
    for (const auto& entry : fs::directory_iterator(folder_.path())) right = right && entry.path().filename() == "bin";
    ::_exit(right ? 42 : 1);
  };
  EXPECT_EXIT(in_a_process_of_its_own(), testing::ExitedWithCode(42), "");
}

TEST_F(Pdf, LeavesNothingBehind) {
  put_browser("printf '%%PDF-' >\"$pdf\"");
  ASSERT_TRUE(pdf_of("<p>"));
  put_browser("exit 1");
  ASSERT_FALSE(pdf_of("<p>"));
  for (const auto& entry : fs::directory_iterator(folder_.path())) EXPECT_EQ(entry.path().filename(), "bin");
}

}  // namespace
}  // namespace maxlat::reports
