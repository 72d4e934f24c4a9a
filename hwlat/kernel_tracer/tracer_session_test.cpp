// SPDX-License-Identifier: MIT
//
// The tracer's control over a folder that looks like tracefs. What a folder cannot do is what the kernel does with a
// value; the guest tests have that.
#include "tracer_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::hwlat {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FakeTracefs : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tracefs_ / "instances");
    put("available_tracers", "timerlat hwlat function nop\n");
    put("hwlat_detector/mode", "none [round-robin] per-cpu\n");
    put("hwlat_detector/width", "500000\n");
    put("hwlat_detector/window", "1000000\n");
    put("tracing_thresh", "0\n");
  }

  void put(const std::string& name, const std::string& text) const { root_.write(kPlace + "/" + name, text); }
  std::string get(const std::string& name) const { return root_.read(kPlace + "/" + name); }
  std::string instance() const { return "instances/maxlat-" + std::to_string(::getpid()); }
  Settings settings() const {
    Settings s;
    s.cpus = {0, 1, 3};
    s.window_ns = 2'000'000'000;
    s.width_ns = 1'500'000'000;
    s.threshold_ns = 20'000;
    return s;
  }

  static inline const std::string kPlace = "sys/kernel/tracing";
  test::TemporaryFolder root_;
  const fs::path tracefs_ = root_ / kPlace;
};

TEST_F(FakeTracefs, IsFoundAndSaysWhyWhenNot) {
  std::string why;
  EXPECT_EQ(find_hwlat_tracer(root_.path(), why), tracefs_.string());
  put("available_tracers", "function nop\n");
  EXPECT_EQ(find_hwlat_tracer(root_.path(), why), "");
  EXPECT_THAT(why, HasSubstr("CONFIG_HWLAT_TRACER"));
  put("available_tracers", "hwlat nop\n");
  fs::remove(tracefs_ / "hwlat_detector/mode");
  EXPECT_EQ(find_hwlat_tracer(root_.path(), why), "");
  EXPECT_THAT(why, HasSubstr("5.14"));
  fs::remove(tracefs_ / "available_tracers");
  EXPECT_EQ(find_hwlat_tracer(root_.path(), why), "");
  EXPECT_THAT(why, HasSubstr("not mounted: mount -t tracefs nodev " + tracefs_.string()));
  EXPECT_EQ(find_hwlat_tracer(root_ / "nowhere", why), "");
  EXPECT_THAT(why, HasSubstr("no tracefs"));
}

// In tracefs the files of an instance appear with its directory; a folder needs them made, so mkdir is given a hand by
// making the instance's files through a directory that is there already: start() then fails with EEXIST, which is the
// wrong test. So the instance is made by start(), and what it cannot write makes it fail: everything must be put back.
TEST_F(FakeTracefs, AFailureHalfWayPutsEverythingBack) {
  const auto session = TracerSession::start(tracefs_.string(), settings());
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.error().text, HasSubstr("tracing_cpumask"));
  EXPECT_EQ(get("hwlat_detector/mode"), "round-robin");
  EXPECT_EQ(get("hwlat_detector/width"), "500000");
  EXPECT_EQ(get("hwlat_detector/window"), "1000000");
  EXPECT_EQ(get("tracing_thresh"), "0");
  EXPECT_FALSE(fs::exists(tracefs_ / instance()));
}

TEST_F(FakeTracefs, AnInstanceThatIsThereIsNotTaken) {
  fs::create_directories(tracefs_ / instance());
  const auto session = TracerSession::start(tracefs_.string(), settings());
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.error().text, HasSubstr("trace instance"));
  EXPECT_TRUE(fs::exists(tracefs_ / instance()));
  EXPECT_EQ(get("hwlat_detector/width"), "500000\n");
}

// 4194305 is above every process id that Linux gives.
TEST_F(FakeTracefs, TheInstanceOfAKilledRunIsRemoved) {
  const fs::path dead = tracefs_ / "instances/maxlat-4194305";
  fs::create_directories(dead);
  (void)TracerSession::start(tracefs_.string(), settings());
  EXPECT_FALSE(fs::exists(dead));
}

// A file that cannot be what was written reads back wrong: the mode that silently stays "none".
TEST_F(FakeTracefs, AModeThatDoesNotReadBackFailsLoudly) {
  fs::remove(tracefs_ / "hwlat_detector/mode");
  fs::create_symlink("/dev/null", tracefs_ / "hwlat_detector/mode");
  const auto session = TracerSession::start(tracefs_.string(), settings());
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.error().text, HasSubstr("after 'per-cpu' was written"));
  EXPECT_EQ(get("hwlat_detector/window"), "1000000");
}

}  // namespace
}  // namespace maxlat::hwlat
