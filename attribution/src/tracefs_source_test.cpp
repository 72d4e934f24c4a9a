// SPDX-License-Identifier: MIT
//
// With the kernel of this machine, where it lets us; over a folder that looks like tracefs for what it refuses.
#include "tracefs_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/base/counter.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::attribution {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(TracefsSource, SaysWhyThereIsNone) {
  const test::TemporaryFolder root;
  const auto no_tracefs = TracefsSource::open(root.path(), {0});
  ASSERT_FALSE(no_tracefs);
  EXPECT_EQ(no_tracefs.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(no_tracefs.error().text, HasSubstr("this kernel has no tracefs"));
  root.write("sys/kernel/tracing/available_tracers", "nop\n");
  root.write("sys/kernel/tracing/trace_clock", "[local] global counter\n");
  const auto no_clock = TracefsSource::open(root.path(), {0});
  ASSERT_FALSE(no_clock);
  EXPECT_EQ(no_clock.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(no_clock.error().text, HasSubstr("x86-tsc"));
}

class WithThisKernel : public testing::Test {
 protected:
  void SetUp() override {
    const auto allowed = core::allowed_cpus();
    ASSERT_TRUE(allowed);
    cpu_ = allowed->front();
    ASSERT_TRUE(core::set_affinity({cpu_}));
    auto source = TracefsSource::open("/", {cpu_});
    if (!source) GTEST_SKIP() << "cannot run here: " << source.error().text;
    source_.emplace(*std::move(source));
  }
  void TearDown() override {
    const auto all = core::assignable_cpus();
    if (all) (void)core::set_affinity(*all);
  }
  std::vector<KernelEvent> read() {
    std::vector<KernelEvent> events;
    for (;;) {
      const auto empty = source_->read(0, 64, events);
      EXPECT_TRUE(empty) << empty.error().text;
      if (!empty || *empty) return events;
    }
  }

  unsigned cpu_ = 0;
  std::optional<TracefsSource> source_;
};

// A page fault of ours, between two reads of the counter, is recorded with a time between them. By chance, or on
// another clock, one of a hundred might look so, and not all. (More than one: another task was let in between.)
TEST_F(WithThisKernel, AStampLiesBetweenTwoReadsOfTheCounter) {
  constexpr size_t kFaults = 100;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const base::Mapping memory(
      ::mmap(nullptr, kFaults * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), kFaults * page);
  ASSERT_NE(memory.where(), MAP_FAILED);
  ASSERT_EQ(::madvise(memory.where(), kFaults * page, MADV_NOHUGEPAGE), 0);
  std::vector<std::pair<uint64_t, uint64_t>> reads(kFaults);
  for (size_t i = 0; i < kFaults; ++i) {
    reads[i].first = maxlat_counter_fenced();
    static_cast<volatile char*>(memory.where())[i * page] = 1;
    reads[i].second = maxlat_counter_fenced();
  }
  const std::vector<KernelEvent> events = read();
  EXPECT_TRUE(
      std::is_sorted(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; }));
  for (const auto& [before, after] : reads) {
    const auto faults =
        std::count_if(events.begin(), events.end(), [&, from = before, to = after](const KernelEvent& e) {
          return e.kind == EventKind::page_fault && e.tick > from && e.tick < to;
        });
    EXPECT_GE(faults, 1) << before << " to " << after;
  }
}

TEST_F(WithThisKernel, ASwitchNamesWhoRunsNext) {
  for (int i = 0; i < 3; ++i) ::usleep(1000);
  const std::vector<KernelEvent> events = read();
  const auto us = std::count_if(events.begin(), events.end(), [](const KernelEvent& event) {
    return event.kind == EventKind::task_switch && event.number == ::gettid() && !event.name.text().empty();
  });
  EXPECT_GE(us, 3);
}

// Overwritten history is a hole, and what follows is whole again.
TEST_F(WithThisKernel, WhatWasOverwrittenIsAHole) {
  ASSERT_TRUE(source_->instance().set("per_cpu/cpu" + std::to_string(cpu_) + "/buffer_size_kb", "8"));
  (void)read();
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < 4000; ++i) {
    const base::Mapping memory(::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), page);
    *static_cast<volatile char*>(memory.where()) = 1;
  }
  const std::vector<KernelEvent> events = read();
  EXPECT_GE(std::count_if(events.begin(), events.end(), [](const auto& e) { return e.kind == EventKind::hole; }), 1);
  EXPECT_GT(source_->lost(), 0u);
}

// A buffer of a million GiB: the kernel says so at once.
TEST_F(WithThisKernel, MoreMemoryThanThereIsIsRefusedAndNothingIsLeft) {
  std::string instance;
  {
    auto buffers = KernelBuffers::open("/", "maxlat-too-large-");
    ASSERT_TRUE(buffers) << buffers.error().text;
    instance = buffers->instance().path();
    const core::Status recording = buffers->record({cpu_}, {}, size_t{1} << 40);
    ASSERT_FALSE(recording);
    EXPECT_EQ(recording.error().exit_status, core::Exit::cannot_run);
    EXPECT_THAT(recording.error().text, testing::AllOf(HasSubstr("buffer_size_kb"), HasSubstr("allocate memory")));
    EXPECT_THAT(recording.error().hint, HasSubstr("smaller buffers")) << "root it was";
  }
  EXPECT_FALSE(fs::exists(instance));
}

TEST_F(WithThisKernel, NothingIsLeft) {
  const std::string instance = source_->instance().path();
  EXPECT_TRUE(fs::exists(instance));
  source_.reset();
  EXPECT_FALSE(fs::exists(instance));
}

}  // namespace
}  // namespace maxlat::attribution
