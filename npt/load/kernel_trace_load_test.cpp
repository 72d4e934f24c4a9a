// SPDX-License-Identifier: MIT
//
// What a phase says of the traced kernel beside it. That the kernel is traced, npt/tests/npt_compare.py looks at. A
// folder with files in the place of an instance, as of a kernel with a file for who is left out of the trace, and
// before Linux 5.7, without.
#include "load/kernel_trace_load.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <thread>

namespace maxlat::npt {
namespace {

TEST(KernelTraceLoad, IsAFactOfThePhase) {
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  KernelTraceLoad().enter(phase, {.events = 12});
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_THAT(phase.facts.at("load"), testing::StartsWith("the kernel traced: 12 events of "));
}

TEST(KernelTraceLoad, ThatHadNoEventWasNone) {
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  KernelTraceLoad().enter(phase, {});
  EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
  EXPECT_EQ(phase.reason, "the kernel's tracer recorded nothing meanwhile");
}

TEST(KernelTraceLoad, KeepsTheReasonOfAPhaseThatFailed) {
  core::Phase phase;
  phase.status = core::PhaseStatus::failed;
  phase.reason = "no such file";
  KernelTraceLoad().enter(phase, {});
  EXPECT_EQ(phase.status, core::PhaseStatus::failed);
  EXPECT_EQ(phase.reason, "no such file");
}

class DrainedLoad : public testing::Test {
 protected:
  DrainedLoad() { std::ofstream(file("per_cpu/cpu0", "trace_pipe_raw")) << "event"; }
  std::string file(const std::string& below, const std::string& name) {
    std::filesystem::create_directories(folder_.path() + "/" + below);
    return folder_.path() + "/" + below + "/" + name;
  }
  core::Phase phase_beside(const std::string& disk) {
    KernelTraceLoad load;
    EXPECT_TRUE(load.drain(folder_.path(), 0, disk));
    while (load.counts().bytes == 0 && load.status()) std::this_thread::yield();
    core::Phase phase;
    phase.status = core::PhaseStatus::ok;
    load.enter(phase, {.events = 1});
    return phase;
  }
  core::TemporaryFolder folder_ = *core::TemporaryFolder::make(testing::TempDir(), "drained-load");
};

TEST_F(DrainedLoad, ThatTheKernelCannotLeaveOutIsAWarning) {
  const core::Phase phase = phase_beside(folder_.path());
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_THAT(phase.warnings,
              testing::ElementsAre("this kernel cannot leave the threads that write the load's trace out of it "
                                   "(set_event_notrace_pid, Linux 5.7): their system calls are among its events"));
}

TEST_F(DrainedLoad, ThatTheKernelLeavesOutIsNone) {
  std::ofstream(file("", "set_event_notrace_pid"));
  EXPECT_THAT(phase_beside(folder_.path()).warnings, testing::IsEmpty());
}

}  // namespace
}  // namespace maxlat::npt
