// SPDX-License-Identifier: MIT
//
// Formats and records made by hand.
#include "event_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <maxlat/test/temporary_folder.hpp>

#include "test_format.hpp"

namespace maxlat::attribution {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint16_t kSwitch = 316, kIrqEntry = 149, kIrqExit = 148, kHrtimerEntry = 377, kNmi = 101, kTimerEntry = 95,
                   kTimerExit = 94;

class Formats : public testing::Test {
 protected:
  Formats() {
    write("sched/sched_switch", format_of("sched_switch", kSwitch,
                                          {{"char prev_comm[16]", 8, 16},
                                           {"pid_t prev_pid", 24, 4},
                                           {"int prev_prio", 28, 4},
                                           {"long prev_state", 32, 8},
                                           {"char next_comm[16]", 40, 16},
                                           {"pid_t next_pid", 56, 4},
                                           {"int next_prio", 60, 4}}));
    write("irq/irq_handler_entry",
          format_of("irq_handler_entry", kIrqEntry, {{"int irq", 8, 4}, {"__data_loc char[] name", 12, 4}}));
    write("irq/irq_handler_exit", format_of("irq_handler_exit", kIrqExit, {{"int irq", 8, 4}, {"int ret", 12, 4}}));
    write("timer/hrtimer_expire_entry",
          format_of("hrtimer_expire_entry", kHrtimerEntry,
                    {{"void * hrtimer", 8, 8}, {"s64 now", 16, 8}, {"void * function", 24, 8}}));
    write("nmi/nmi_handler",
          format_of("nmi_handler", kNmi, {{"void * handler", 8, 8}, {"s64 delta_ns", 16, 8}, {"int handled", 24, 4}}));
    write("irq_vectors/local_timer_entry", format_of("local_timer_entry", kTimerEntry, {{"int vector", 8, 4}}));
    write("irq_vectors/local_timer_exit", format_of("local_timer_exit", kTimerExit, {{"int vector", 8, 4}}));
  }
  void write(const std::string& event, const std::string& text) { events_.write(event + "/format", text); }
  EventFormats read() const {
    auto formats = EventFormats::read(events_.path());
    EXPECT_TRUE(formats) << formats.error().text;
    return *std::move(formats);
  }
  core::Error error() const {
    const auto formats = EventFormats::read(events_.path());
    EXPECT_FALSE(formats);
    return formats ? core::Error{"none"} : formats.error();
  }

  test::TemporaryFolder events_;
};

TEST_F(Formats, WhatThisKernelHasIsRecordedInTheOrderOfTheTable) {
  EXPECT_THAT(read().names(), ElementsAre("sched/sched_switch", "irq/irq_handler_entry", "irq/irq_handler_exit",
                                          "timer/hrtimer_expire_entry", "nmi/nmi_handler",
                                          "irq_vectors/local_timer_entry", "irq_vectors/local_timer_exit"));
}

TEST_F(Formats, ASwitchTellsWhoRunsNext) {
  const Record record = Record(kSwitch, 64)
                            .put(4, int32_t{17})
                            .text(8, "swapper/1")
                            .text(40, "sixteen bytes...")
                            .put(56, int32_t{4711})
                            .put(60, int32_t{29});
  const auto event = read().decode(99, record);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::task_switch);
  EXPECT_EQ(event->tick, 99u);
  EXPECT_EQ(event->number, 4711);
  EXPECT_EQ(event->running, 17);
  EXPECT_EQ(event->priority, 29);
  EXPECT_EQ(event->name.text(), "sixteen bytes...") << "no zero ends it";
}

// A text of no fixed length stands behind the fields: its field has where, and how long it is.
TEST_F(Formats, AnInterruptTellsItsLineAndHandler) {
  Record record = Record(kIrqEntry, 24).put(8, int32_t{24}).put(12, uint32_t{5u << 16 | 16}).text(16, "eth0");
  const EventFormats formats = read();
  const auto event = formats.decode(1, record);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::irq_entry);
  EXPECT_EQ(event->number, 24);
  EXPECT_EQ(event->name.text(), "eth0");
  record.put(12, uint32_t{9u << 16 | 16});
  EXPECT_FALSE(formats.decode(1, record)) << "the text would end behind the record";
  const auto exit = formats.decode(2, Record(kIrqExit, 16).put(8, int32_t{24}));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->kind, EventKind::irq_exit);
  EXPECT_EQ(exit->number, 24);
}

TEST_F(Formats, FunctionsAndLengthsAreTheValue) {
  const EventFormats formats = read();
  const auto timer = formats.decode(1, Record(kHrtimerEntry, 32).put(24, uint64_t{0xffffffff81234567}));
  ASSERT_TRUE(timer);
  EXPECT_EQ(timer->value, 0xffffffff81234567);
  const auto nmi = formats.decode(1, Record(kNmi, 32).put(16, int64_t{2'500}));
  ASSERT_TRUE(nmi);
  EXPECT_EQ(nmi->kind, EventKind::nmi);
  EXPECT_EQ(nmi->value, 2'500u);
}

TEST_F(Formats, AVectorIsKnownByItsEventAndNotByItsNumber) {
  const auto event = read().decode(1, Record(kTimerEntry, 12).put(8, int32_t{236}));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::vector_entry);
  EXPECT_EQ(static_cast<VectorUse>(event->number), VectorUse::local_timer);
}

TEST_F(Formats, WhatIsNoSuchRecordIsNothing) {
  const EventFormats formats = read();
  EXPECT_FALSE(formats.decode(1, Record(kSwitch, 63))) << "shorter than its format";
  EXPECT_FALSE(formats.decode(1, Record(300, 64))) << "an event that nobody asked for";
  EXPECT_FALSE(formats.decode(1, Record(60'000, 64))) << "beyond all numbers";
  EXPECT_FALSE(formats.decode(1, std::span<const std::byte>()));
}

TEST_F(Formats, AKernelThatHasAnotherEventIsRefusedByName) {
  write("irq/irq_handler_entry", format_of("irq_handler_entry", kIrqEntry, {{"int line", 8, 4}}));
  EXPECT_EQ(error().text, "this kernel's event irq/irq_handler_entry is not as maxlat knows it: no field irq");
  write("irq/irq_handler_entry", "name: irq_handler_entry\nID: here is no number\n");
  EXPECT_THAT(error().text, HasSubstr("event irq/irq_handler_entry is not as maxlat knows it: "));
  EXPECT_EQ(error().exit_status, core::Exit::cannot_run);
  std::filesystem::remove_all(events_ / "irq");
  EXPECT_EQ(read().names().size(), 5u) << "one that it lacks is left out";
  std::filesystem::remove_all(events_ / "sched");
  EXPECT_THAT(error().text, HasSubstr("no event sched_switch"));
}

}  // namespace
}  // namespace maxlat::attribution
