// SPDX-License-Identifier: MIT
//
// Events of a trace by hand. The explained CPU is 1.
#include "other_cpus.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <utility>

#include "traced_events.hpp"

namespace maxlat::trace_tools {
namespace {

using attribution::EventKind;
using attribution::KernelEvent;

class OtherCpusTest : public testing::Test {
 protected:
  using Numbers = std::vector<std::pair<const char*, std::uint64_t>>;

  // An event with these fields, and then a text where `text` has a name.
  std::optional<KernelEvent> see(std::uint32_t cpu, const char* name, const Numbers& numbers = {},
                                 std::pair<const char*, const char*> text = {}, bool behind_a_loss = false) {
    const std::size_t number = types_.size();
    const auto [place, is_new] = types_.try_emplace(name);
    trace::EventType& type = place->second;
    if (is_new) type.number = number;
    type.name = name;
    type.fields.clear();
    std::vector<std::uint8_t> payload(sizeof(std::uint64_t) * numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      type.fields.push_back({.name = numbers[i].first, .bytes = sizeof(std::uint64_t)});
      std::memcpy(payload.data() + sizeof(std::uint64_t) * i, &numbers[i].second, sizeof(std::uint64_t));
    }
    if (text.first != nullptr) {
      type.fields.push_back({.name = text.first, .kind = trace::FieldKind::string});
      payload.insert(payload.end(), text.second, text.second + std::strlen(text.second) + 1);
    }
    trace::TraceStream stream;
    stream.owner = cpu;
    const trace::StreamLoss loss{};
    const trace::RecordedEvent event{.type = &type,
                                     .stream = &stream,
                                     .ticks = ++ticks_,
                                     .payload = payload,
                                     .thread = 7,
                                     .loss = behind_a_loss ? &loss : nullptr};
    return others_.see(event, decoder_.decode(event));
  }
  std::optional<KernelEvent> waking(std::uint32_t cpu) {
    return see(cpu, "sched_waking", {{"tid", 5}, {"prio", 120}}, {"comm", "woken"});
  }
  void switch_to(std::int32_t thread, const char* name) {
    see(0, "sched_switch", {{"next_tid", static_cast<std::uint64_t>(thread)}, {"next_prio", 120}}, {"next_comm", name});
  }
  void handler_entry(std::uint32_t cpu) { see(cpu, "irq_handler_entry", {{"irq", 1}}, {"name", "disk"}); }
  void softirq(const char* name) { see(0, name, {{"vec", 1}}); }
  // Who woke a thread from the CPU 0.
  std::int32_t waker() {
    const auto one = waking(0);
    EXPECT_TRUE(one);
    return one ? one->running : -1;
  }

  TraceNames names_{{{7, "sh"}}, {}};
  TracedEvents decoder_;
  OtherCpus others_{1, names_};
  std::map<std::string, trace::EventType> types_;
  std::uint64_t ticks_ = 0;
};

TEST_F(OtherCpusTest, AWakingThereIsToldAndOneHereIsNot) {
  const auto one = waking(0);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->kind, EventKind::woken_elsewhere);
  EXPECT_EQ(one->number, 5);
  EXPECT_EQ(one->value, 0u);
  EXPECT_EQ(one->running, 7);
  EXPECT_EQ(one->name.text(), "sh");
  EXPECT_FALSE(waking(1));
}

// Linux 6.12 records an irq_work that a CPU asks of itself as sent to a CPU: it was taken for the next call's sender.
TEST_F(OtherCpusTest, ACpuIsNotItsOwnSender) {
  const Numbers to_1{{"cpu", 1}, {"callsite", 0xabc}, {"callback", 0xdef}};
  const auto sent = see(0, "ipi_send_cpu", to_1);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->kind, EventKind::ipi_sent);
  EXPECT_EQ(sent->number, 0);
  EXPECT_EQ(sent->value, 0xabcu);
  EXPECT_EQ(sent->priority, 1);
  EXPECT_FALSE(see(1, "ipi_send_cpu", to_1));
  EXPECT_FALSE(see(0, "ipi_send_cpu", {{"cpu", 2}, {"callsite", 0xabc}, {"callback", 0xdef}})) << "to a third";
}

// Our module lists the first 64 CPUs of a mask. A defect: an older sender was taken for that of such a call.
TEST(OtherCpusBehindTheMask, AnUnknownReceiverMakesTheSenderUnknown) {
  const TraceNames names;
  OtherCpus others(70, names);
  trace::EventType type;
  type.name = "ipi_send_cpumask";
  type.fields = {{.name = "cpus", .bytes = 8}, {.name = "above_63", .bytes = 8}};
  trace::TraceStream stream;
  for (const std::uint8_t above : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::vector<std::uint8_t> payload{1, 0, 0, 0, 0, 0, 0, 0, above, 0, 0, 0, 0, 0, 0, 0};
    const auto told = others.see({.type = &type, .stream = &stream, .ticks = 1, .payload = payload}, {});
    ASSERT_EQ(told.has_value(), above != 0);
    EXPECT_EQ(told ? told->kind : EventKind::lost_elsewhere, EventKind::lost_elsewhere);
  }
}

// Whoever was interrupted did not do it.
TEST_F(OtherCpusTest, WhatAnInterruptDidIsNotItsTasks) {
  handler_entry(0);
  EXPECT_EQ(waker(), KernelEvent::kInInterrupt);
  see(0, "x86_irq_vectors_local_timer_entry");
  see(0, "x86_irq_vectors_local_timer_exit");
  EXPECT_EQ(waker(), KernelEvent::kInInterrupt) << "the outer one goes on";
  see(0, "irq_handler_exit", {{"irq", 1}});
  EXPECT_EQ(waker(), 7);
  softirq("irq_softirq_entry");
  EXPECT_EQ(waker(), KernelEvent::kInSoftirq);
  softirq("irq_softirq_exit");
  softirq("irq_softirq_exit");  // the trace began within another
  EXPECT_EQ(waker(), 7);
  handler_entry(3);
  EXPECT_EQ(waker(), 7) << "each CPU has its own";
  EXPECT_EQ(waking(3)->running, KernelEvent::kInInterrupt);
}

TEST_F(OtherCpusTest, AnInterruptWhoseEndIsLostDoesNotGoOn) {
  handler_entry(0);
  see(0, "nobody_looks_at_it", {}, {}, true);
  EXPECT_EQ(waker(), 7);
  softirq("irq_softirq_entry");
  switch_to(7, "sh");
  EXPECT_EQ(waker(), 7);
}

TEST_F(OtherCpusTest, AThreadIsCalledAsItCallsItselfThen) {
  switch_to(7, "make");
  EXPECT_EQ(waking(0)->name.text(), "make");
  see(0, "task_rename", {{"tid", 7}}, {"newcomm", "cc1plus"});
  EXPECT_EQ(waking(0)->name.text(), "cc1plus");
}

}  // namespace
}  // namespace maxlat::trace_tools
