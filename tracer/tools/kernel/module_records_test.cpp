// SPDX-License-Identifier: MIT
#include "kernel/module_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <maxlat/trace/ctf_format.hpp>
#include <string>

namespace maxlat::trace_tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::KernelRecord;

const trace::KernelEventType& type_of(std::uint32_t id) {
  return trace::kernel_event_types()[id - 1];
}

template <class Record>
KernelRecord record_of(std::uint32_t id, const Record& fields, std::uint64_t lost_before = 0) {
  return {7, 0, &type_of(id), reinterpret_cast<const std::uint8_t*>(&fields), lost_before};
}

TEST(ModuleRecords, AreDescribedUnderLttngsNames) {
  const DescribedKernelEvent softirq = describe(type_of(MAXLAT_KERNEL_softirq_entry));
  EXPECT_EQ(softirq.name, "irq_softirq_entry");
  std::string fields;
  for (const trace::Field& field : describe(type_of(MAXLAT_KERNEL_sched_switch)).fields)
    fields += std::string(field.name) + " ";
  EXPECT_EQ(fields, "prev_comm prev_tid prev_prio prev_state next_comm next_tid next_prio ");
}

TEST(ModuleRecords, HaveTheirThreadAndTextsWithOneZero) {
  maxlat_kernel_sched_process_exit fields{"0123456789abcde", 5, 120};
  fields.comm[15] = 'f';  // no zero behind it
  std::vector<std::uint8_t> payload;
  append_record(record_of(MAXLAT_KERNEL_sched_process_exit, fields), 5, payload);
  ASSERT_EQ(payload.size(), trace::kContextSize + 17 + 8);
  EXPECT_THAT(std::vector(payload.begin(), payload.begin() + 8), ElementsAre(5, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_STREQ(reinterpret_cast<const char*>(payload.data() + trace::kContextSize), "0123456789abcdef");
  std::int32_t prio = 0;
  std::memcpy(&prio, payload.data() + payload.size() - 4, 4);
  EXPECT_EQ(prio, 120);
}

// {event, thread, vec} as "v1:5", and "s:5" for a switch.
class Threads : public ::testing::Test {
 protected:
  void softirq(std::int64_t vec, std::uint64_t lost_before = 0) {
    const maxlat_kernel_softirq fields{vec};
    threads_.take(record_of(MAXLAT_KERNEL_softirq_entry, fields, lost_before), use_);
  }
  void switch_to(std::int32_t prev, std::int32_t next, std::uint64_t lost_before = 0) {
    maxlat_kernel_sched_switch fields{};
    fields.prev_tid = prev;
    fields.next_tid = next;
    threads_.take(record_of(MAXLAT_KERNEL_sched_switch, fields, lost_before), use_);
  }

  std::vector<std::string> given_;
  ThreadsOfCpu::Use use_ = [this](const KernelRecord& record, std::int32_t thread) {
    const bool is_switch = record.type->id == MAXLAT_KERNEL_sched_switch;
    const std::string lost = record.lost_before == 0 ? "" : "-" + std::to_string(record.lost_before) + " ";
    given_.push_back(lost + (is_switch ? "s" : "v" + std::to_string(record.as<maxlat_kernel_softirq>().vec)) + ":" +
                     std::to_string(thread));
  };
  ThreadsOfCpu threads_;
};

TEST_F(Threads, WhatComesBeforeTheFirstSwitchWaitsForIt) {
  softirq(1);
  softirq(2);
  EXPECT_THAT(given_, IsEmpty());
  switch_to(5, 6);
  softirq(3);
  switch_to(6, 0);
  softirq(4);
  EXPECT_THAT(given_, ElementsAre("v1:5", "v2:5", "s:5", "v3:6", "s:6", "v4:0"));
}

TEST_F(Threads, WhatIsLostMayHaveBeenASwitch) {
  switch_to(5, 6);
  softirq(1, 3);
  softirq(2);
  switch_to(7, 8);
  EXPECT_THAT(given_, ElementsAre("s:5", "-3 v1:7", "v2:7", "s:7"));
}

// Nobody knows whether what waits ran before or after the switches that are lost.
TEST_F(Threads, WhatWaitsInFrontOfALossIsOfNobody) {
  softirq(1);
  switch_to(7, 8, 2);
  softirq(2, 1);
  softirq(3, 1);
  EXPECT_THAT(given_, ElementsAre("v1:-1", "-2 s:7", "-1 v2:-1"));
  threads_.finish(use_);
  EXPECT_THAT(given_, ElementsAre("v1:-1", "-2 s:7", "-1 v2:-1", "-1 v3:-1"));
}

TEST_F(Threads, NotMoreThanThatWait) {
  for (std::size_t i = 0; i <= ThreadsOfCpu::kMostWaiting; ++i) softirq(static_cast<std::int64_t>(i));
  EXPECT_EQ(given_.size(), ThreadsOfCpu::kMostWaiting);
  switch_to(5, 6);
  EXPECT_EQ(given_.front(), "v0:-1");
  EXPECT_EQ(given_[ThreadsOfCpu::kMostWaiting], "v65536:5");
}

}  // namespace
}  // namespace maxlat::trace_tools
