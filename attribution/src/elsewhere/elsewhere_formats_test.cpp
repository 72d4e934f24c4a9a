// SPDX-License-Identifier: MIT
//
// Formats and records made by hand.
#include "elsewhere/elsewhere_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/test/temporary_folder.hpp>

#include "test_format.hpp"

namespace maxlat::attribution {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint16_t kWaking = 375, kMigrate = 371, kSendCpu = 354, kSendMask = 353;
constexpr uint16_t kReschedule = 1800, kCallMany = 1802;
constexpr uint8_t kHardIrq = 0x08, kSoftirq = 0x10;

class ElsewhereFormatsTest : public testing::Test {
 protected:
  ElsewhereFormatsTest() {
    write("sched/sched_waking",
          format_of("sched_waking", kWaking,
                    {{"char comm[16]", 8, 16}, {"pid_t pid", 24, 4}, {"int prio", 28, 4}, {"int target_cpu", 32, 4}}));
    write(
        "sched/sched_migrate_task",
        format_of("sched_migrate_task", kMigrate,
                  {{"char comm[16]", 8, 16}, {"pid_t pid", 24, 4}, {"int orig_cpu", 28, 4}, {"int dest_cpu", 32, 4}}));
  }
  void write_senders() {
    write("ipi/ipi_send_cpu",
          format_of("ipi_send_cpu", kSendCpu,
                    {{"unsigned int cpu", 8, 4}, {"void * callsite", 16, 8}, {"void * callback", 24, 8}}));
    write("ipi/ipi_send_cpumask",
          format_of("ipi_send_cpumask", kSendMask,
                    {{"__data_loc cpumask_t cpumask", 8, 4}, {"void * callsite", 16, 8}, {"void * callback", 24, 8}}));
  }
  // As the kernel tells of SenderProbes' events.
  void write_probes() {
    write("maxlat_senders_7/reschedule",
          format_of("reschedule", kReschedule,
                    {{"unsigned long __probe_ip", 8, 8}, {"u32 target", 16, 4}, {"u64 caller", 20, 8}}));
    write("maxlat_senders_7/call_many",
          format_of("call_many", kCallMany,
                    {{"unsigned long __probe_ip", 8, 8}, {"u64 targets", 16, 8}, {"u64 caller", 24, 8}}));
  }
  void write(const std::string& event, const std::string& text) { events_.write(event + "/format", text); }
  ElsewhereFormats read() const {
    auto formats = ElsewhereFormats::read(events_.path());
    EXPECT_TRUE(formats) << formats.error().text;
    return *std::move(formats);
  }
  std::vector<std::string> filters(const core::CpuList& cpus) const {
    std::vector<std::string> all;
    for (const ElsewhereFormats::Event& event : read().aimed_at(cpus)) all.push_back(event.name + ": " + event.filter);
    return all;
  }

  const test::TemporaryFolder events_;
};

TEST_F(ElsewhereFormatsTest, TheKernelPicksOutWhatIsDoneToTheWatched) {
  write_senders();
  EXPECT_THAT(
      filters({1}),
      ElementsAre("sched/sched_waking: (target_cpu == 1 && CPU != 1)",
                  "sched/sched_migrate_task: (orig_cpu >= 1 && orig_cpu <= 1) || (dest_cpu >= 1 && dest_cpu <= 1)",
                  "ipi/ipi_send_cpu: (cpu == 1 && CPU != 1)", "ipi/ipi_send_cpumask: cpumask & CPUS{1}"));
  EXPECT_THAT(filters({1, 3})[2], "ipi/ipi_send_cpu: (cpu == 1 && CPU != 1) || (cpu == 3 && CPU != 3)");
  const core::CpuList many = {1, 2, 3, 4, 5, 6, 7, 8, 10};
  EXPECT_THAT(filters(many)[0],
              "sched/sched_waking: (target_cpu >= 1 && target_cpu <= 8) || (target_cpu >= 10 && target_cpu <= 10)");
  EXPECT_THAT(filters(many)[3], "ipi/ipi_send_cpumask: cpumask & CPUS{1-8,10}");
  core::CpuList every_second;
  for (unsigned cpu = 1; cpu < 1024; cpu += 2) every_second.push_back(cpu);
  EXPECT_THAT(filters(every_second)[2], "ipi/ipi_send_cpu: (cpu >= 1 && cpu <= 1023)") << "or it would be too long";
  EXPECT_THAT(filters(every_second)[3], "ipi/ipi_send_cpumask: cpumask & CPUS{1-1023}");
}

TEST_F(ElsewhereFormatsTest, WhoWokeAThread) {
  const auto by = [&](uint8_t flags) {
    return read().decode(
        900, Record(kWaking, 36).put(2, flags).put(4, int32_t{7}).put(24, int32_t{5}).put(32, int32_t{1}), 3);
  };
  const auto done = by(0);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->event.kind, EventKind::woken_elsewhere);
  EXPECT_EQ(done->event.tick, 900u);
  EXPECT_EQ(done->event.number, 5);
  EXPECT_EQ(done->event.value, 3u);
  EXPECT_EQ(done->event.running, 7);
  EXPECT_TRUE(done->is_done_to(1));
  EXPECT_FALSE(done->is_done_to(0));
  EXPECT_EQ(by(kHardIrq | kSoftirq)->event.running, KernelEvent::kInInterrupt);
  EXPECT_EQ(by(kSoftirq)->event.running, KernelEvent::kInSoftirq);
}

TEST_F(ElsewhereFormatsTest, AThreadThatGoesElsewhereIsOfBothCpus) {
  const Record record = Record(kMigrate, 36).put(24, int32_t{5}).put(28, int32_t{2}).put(32, int32_t{4});
  const auto done = read().decode(900, record, 2);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->event.kind, EventKind::moved_elsewhere);
  EXPECT_EQ(done->event.number, 5);
  EXPECT_TRUE(done->is_done_to(2) && done->is_done_to(4) && !done->is_done_to(3) && !done->is_done_to(0));
}

TEST_F(ElsewhereFormatsTest, WhoSentAnInterrupt) {
  write_senders();
  const auto one = read().decode(
      900, Record(kSendCpu, 32).put(4, int32_t{7}).put(8, uint32_t{2}).put(16, uint64_t{0xffffffff81000010}), 3);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->event.kind, EventKind::ipi_sent);
  EXPECT_EQ(one->event.number, 3);
  EXPECT_EQ(one->event.running, 7);
  EXPECT_EQ(one->event.value, 0xffffffff81000010u);
  EXPECT_EQ(one->event.priority, 0) << "it has no function to call";
  EXPECT_TRUE(one->is_done_to(2));
  const Record to_many = Record(kSendMask, 48)
                             .put(8, uint32_t{16 << 16 | 32})
                             .put(24, uint64_t{0xffffffff00000000})
                             .put(32, uint64_t{1} << 1 | uint64_t{1} << 9)
                             .put(40, uint64_t{1} << 6);
  const auto many = read().decode(900, to_many, 0);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->event.priority, 1);
  std::vector<unsigned> targets;
  for (unsigned cpu = 0; cpu < 200; ++cpu)
    if (many->is_done_to(cpu)) targets.push_back(cpu);
  EXPECT_THAT(targets, ElementsAre(1, 9, 70));
}

TEST_F(ElsewhereFormatsTest, WhoSentAnInterruptOnAnOlderKernelProbesTell) {
  write_probes();
  EXPECT_FALSE(ElsewhereFormats::has_senders(events_.path()));
  EXPECT_EQ(read().aimed_at({1}).size(), 2u) << "without their group they are others' events";
  const auto formats = ElsewhereFormats::read(events_.path(), "maxlat_senders_7");
  ASSERT_TRUE(formats) << formats.error().text;
  const auto events = formats->aimed_at({1, 63});
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[2].name + ": " + events[2].filter,
            "maxlat_senders_7/reschedule: (target == 1 && CPU != 1) || (target == 63 && CPU != 63)");
  EXPECT_EQ(events[3].name + ": " + events[3].filter, "maxlat_senders_7/call_many: targets & 0x8000000000000002");
  EXPECT_EQ(events[3].sender, ElsewhereFormats::Event::Sender::to_several);
  EXPECT_EQ(formats->aimed_at({1, 64})[3].filter, "targets & 0x2") << "a word has no bit of CPU 64";
  EXPECT_TRUE(events[3].is_of_all);
  EXPECT_FALSE(formats->aimed_at({1, 64})[3].is_of_all);
  EXPECT_TRUE(formats->aimed_at({1, 64})[2].is_of_all);
  EXPECT_EQ(formats->aimed_at({64}).size(), 3u);

  const auto one = formats->decode(
      900, Record(kReschedule, 28).put(4, int32_t{7}).put(16, uint32_t{2}).put(20, uint64_t{0xffffffff81000010}), 3);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->event.kind, EventKind::ipi_sent);
  EXPECT_EQ(one->event.number, 3);
  EXPECT_EQ(one->event.running, 7);
  EXPECT_EQ(one->event.value, 0xffffffff81000010u);
  EXPECT_EQ(one->event.priority, 0);
  EXPECT_TRUE(one->is_done_to(2) && !one->is_done_to(3));
  const Record to_many = Record(kCallMany, 32).put(16, uint64_t{1} << 1 | uint64_t{1} << 9);
  const auto many = formats->decode(900, to_many, 0);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->event.priority, 1) << "it has a function called";
  EXPECT_TRUE(many->is_done_to(1) && many->is_done_to(9) && !many->is_done_to(0) && !many->is_done_to(65));

  write_senders();
  EXPECT_TRUE(ElsewhereFormats::has_senders(events_.path()));
}

TEST_F(ElsewhereFormatsTest, WhatIsNoRecordOfThemIsNothing) {
  write_senders();
  const ElsewhereFormats formats = read();
  EXPECT_FALSE(formats.decode(1, Record(kWaking, 34), 0)) << "too short";
  EXPECT_FALSE(formats.decode(1, Record(kSendMask, 40).put(8, uint32_t{16 << 16 | 32}), 0)) << "the mask is cut off";
  EXPECT_FALSE(formats.decode(1, Record(1, 64), 0)) << "another event";
  EXPECT_FALSE(formats.decode(1, {}, 0));
  write("sched/sched_waking", format_of("sched_waking", kWaking, {{"pid_t pid", 24, 4}}));
  const auto changed = ElsewhereFormats::read(events_.path());
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(changed.error().text, HasSubstr("sched/sched_waking is not as maxlat knows it: no field target_cpu"));
}

}  // namespace
}  // namespace maxlat::attribution
