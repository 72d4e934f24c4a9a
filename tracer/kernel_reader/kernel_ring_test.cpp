// SPDX-License-Identifier: MIT
// Records of the kernel's kinds out of a ring in this program's own memory, written as the module writes them.
#include "kernel_reader/kernel_ring.hpp"

#include <gmock/gmock.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/ring/switch.h>
#include <maxlat/trace/kernel/kernel_abi.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ring/test_memory.hpp"

namespace maxlat::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class KernelRings : public testing::TestWithParam<std::uint32_t> {
 protected:
  KernelRings() : made_(ring_test::options_of(GetParam(), 12, 1)) {
    base::Result<detail::KernelRing> attached = detail::KernelRing::attach(3, made_.where(), made_.size());
    EXPECT_TRUE(attached.ok());
    ring_ = std::make_unique<detail::KernelRing>(*std::move(attached));
  }

  void softirq(std::int64_t vec) {
    const maxlat_kernel_softirq fields = {vec};
    put(MAXLAT_KERNEL_softirq_entry, &fields, sizeof fields);
  }
  void put(std::uint32_t id, const void* fields, std::size_t size) {
    maxlat_ring_record record;
    ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made_.ring, id, size, &record));
    std::memcpy(record.payload, fields, size);
    maxlat_ring_record_end(MAXLAT_RING_THREAD, &made_.ring, &record);
  }

  // What a reader has now: packets that are full, as the kernel hands them over, then the open one.
  std::vector<std::int64_t> read_all() {
    std::vector<std::int64_t> vecs;
    const auto use = [&](const KernelRecord& record) {
      EXPECT_EQ(record.cpu, 3u);
      EXPECT_EQ(record.type->name, "softirq_entry");
      vecs.push_back(record.as<maxlat_kernel_softirq>().vec);
      if (record.lost_before != 0) lost_before_[vecs.back()] = record.lost_before;
    };
    maxlat_ring_view view;
    while (maxlat_ring_get(&made_.reader, &view) == MAXLAT_RING_GOT) {
      EXPECT_TRUE(ring_->read(view.bytes, view.content_size, view.sequence, use).ok());
      maxlat_ring_put(&made_.reader, &view);
    }
    const base::Result<bool> open = ring_->read_open(use);
    EXPECT_TRUE(open.ok() && *open);
    return vecs;
  }

  ring_test::RingMemory made_;
  std::unique_ptr<detail::KernelRing> ring_;
  std::map<std::int64_t, std::uint64_t> lost_before_;  // by the record that told it
};

TEST_P(KernelRings, AnOpenPacketIsReadAndNotReadAgainWhenItIsDelivered) {
  EXPECT_THAT(read_all(), IsEmpty());
  softirq(1);
  softirq(2);
  EXPECT_THAT(read_all(), ElementsAre(1, 2));
  EXPECT_THAT(read_all(), IsEmpty());
  softirq(3);
  EXPECT_THAT(read_all(), ElementsAre(3));
  softirq(4);
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  softirq(5);
  EXPECT_THAT(read_all(), ElementsAre(4, 5));
  EXPECT_EQ(ring_->records_read(), 5u);
}

// Two packets have room for 498 such records, which fill them to the last byte, or for 496 and one with a name.
class FullKernelRing : public KernelRings {
 protected:
  void offer(std::uint32_t id, std::size_t size) {
    maxlat_ring_record record;
    const bool room = maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made_.ring, id, size, &record);
    if (room) maxlat_ring_record_end(MAXLAT_RING_THREAD, &made_.ring, &record);
    lost_ += room ? 0 : 1;
  }
  void offer_softirqs(int count) {
    for (int i = 0; i < count; ++i) offer(MAXLAT_KERNEL_softirq_entry, sizeof(maxlat_kernel_softirq));
  }
  std::uint64_t lost_ = 0;
};

TEST_P(FullKernelRing, WhatFoundNoRoomIsToldByTheNextRecord) {
  offer_softirqs(1000);
  EXPECT_EQ(lost_, 502u);
  read_all();
  EXPECT_THAT(lost_before_, IsEmpty());
  softirq(7);
  softirq(8);
  EXPECT_THAT(read_all(), ElementsAre(7, 8));
  EXPECT_THAT(lost_before_, ElementsAre(testing::Pair(7, lost_)));
}

// Nobody knows how many were lost on either side of a packet that was seen only when it was full, too.
TEST_P(FullKernelRing, AFullPacketBehindAFullOneHasALossOnEitherSide) {
  offer_softirqs(498 + 2);
  read_all();
  softirq(7);
  offer_softirqs(497 + 3);
  const std::vector<std::int64_t> read = read_all();
  EXPECT_EQ(read.size(), 498u);
  EXPECT_THAT(lost_before_, testing::Contains(testing::Pair(7, 1)));
  softirq(9);
  read_all();
  std::uint64_t told = 0;
  for (const auto& [vec, lost] : lost_before_) told += lost;
  EXPECT_EQ(lost_, 5u);
  EXPECT_EQ(told, lost_);
  EXPECT_THAT(lost_before_, testing::Contains(testing::Key(9)));
}

INSTANTIATE_TEST_SUITE_P(Discard, FullKernelRing, testing::Values(0u));

TEST_P(KernelRings, WhoWritesIsWaitedFor) {
  softirq(1);
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made_.ring, MAXLAT_KERNEL_softirq_entry, 8, &record));
  const base::Result<bool> open = ring_->read_open([](const KernelRecord&) { FAIL(); });
  ASSERT_TRUE(open.ok());
  EXPECT_FALSE(*open);
  const std::int64_t vec = 2;
  std::memcpy(record.payload, &vec, sizeof vec);
  maxlat_ring_record_end(MAXLAT_RING_THREAD, &made_.ring, &record);
  EXPECT_THAT(read_all(), ElementsAre(1, 2));
}

TEST_P(KernelRings, AnEventOfAnotherSizeIsRefused) {
  const maxlat_kernel_softirq fields = {1};
  put(MAXLAT_KERNEL_sched_switch, &fields, sizeof fields);
  EXPECT_FALSE(ring_->read_open([](const KernelRecord&) { FAIL(); }).ok());
}

TEST_P(KernelRings, AnEventThatThereIsNotIsRefused) {
  const maxlat_kernel_softirq fields = {1};
  put(MAXLAT_KERNEL_BEHIND_LAST, &fields, sizeof fields);
  EXPECT_FALSE(ring_->read_open([](const KernelRecord&) { FAIL(); }).ok());
}

// Events that only their session knows: of 8 bytes an argument, of which the upper ones may be anything.
TEST_P(KernelRings, ARawEventHasTheFieldsOfItsSession) {
  const KernelField fields[] = {{"flag", KernelFieldKind::cardinal, 0, 1},
                                {"step", KernelFieldKind::number, 8, 2},
                                {"order", KernelFieldKind::number, 16, 4},
                                {"size", KernelFieldKind::cardinal, 24, 4},
                                {"page", KernelFieldKind::address, 32, 8}};
  const KernelEventType raw_type = {MAXLAT_TRACE_FIRST_RAW + 1, "kmem", "mm_test", 40, fields};
  const KernelEventType* const known[] = {nullptr, &raw_type};
  auto attached = detail::KernelRing::attach(3, made_.where(), made_.size(), known);
  ASSERT_TRUE(attached.ok());
  const std::uint64_t arguments[] = {0xfffffffffffffe01, 0x123456789abcfffe, 0xabcdef01fffffffd, 0x11111111fffffffc,
                                     0xffff888000001000};
  put(raw_type.id, arguments, sizeof arguments);
  std::vector<std::int64_t> values;
  const auto use = [&](const KernelRecord& record) {
    for (const KernelField& field : record.type->fields) values.push_back(record.number(field));
  };
  ASSERT_TRUE(attached->read_open(use).ok());
  EXPECT_THAT(values, ElementsAre(1, -2, -3, 0xfffffffc, static_cast<std::int64_t>(0xffff888000001000)));
}

TEST_P(KernelRings, ARawEventThatNobodyAddedIsRefused) {
  const std::uint64_t argument = 1;
  put(MAXLAT_TRACE_FIRST_RAW, &argument, sizeof argument);
  EXPECT_FALSE(ring_->read_open([](const KernelRecord&) { FAIL(); }).ok());
}

INSTANTIATE_TEST_SUITE_P(Modes, KernelRings, testing::Values(0u, MAXLAT_RING_OVERWRITE), [](const auto& mode) {
  return mode.param == 0 ? std::string("discard") : std::string("overwrite");
});

TEST(KernelEvents, AttachRefusesWhatIsNoRing) {
  alignas(4096) static std::uint8_t memory[8192];
  EXPECT_FALSE(detail::KernelRing::attach(0, memory, sizeof memory).ok());
}

TEST(KernelEvents, FieldsLieWhereTheModulePutsThem) {
  const KernelEventType& type = kernel_event_types()[MAXLAT_KERNEL_sched_switch - 1];
  EXPECT_EQ(type.group, "sched");
  EXPECT_EQ(type.bytes, sizeof(maxlat_kernel_sched_switch));
  maxlat_kernel_sched_switch fields = {"a task", 5, -100, 2, "0123456789abcde", 7, 120};
  fields.next_comm[15] = 'f';  // no zero behind it
  const KernelRecord record = {1, 0, &type, reinterpret_cast<const std::uint8_t*>(&fields)};
  std::string all;
  for (const KernelField& field : type.fields)
    all +=
        std::string(field.name) + "=" +
        (field.kind == KernelFieldKind::text ? std::string(record.text(field)) : std::to_string(record.number(field))) +
        " ";
  EXPECT_EQ(all,
            "prev_comm=a task prev_tid=5 prev_prio=-100 prev_state=2 next_comm=0123456789abcdef next_tid=7 "
            "next_prio=120 ");
}

TEST(KernelEvents, NamesMatchPatterns) {
  EXPECT_EQ(kernel_events_matching("irq:*"), 0b111100u);
  EXPECT_EQ(kernel_events_matching("*:no_such"), 0u);
  EXPECT_THAT(kernel_event_names(kernel_events_matching("timer:hrtimer_*")),
              ElementsAre("timer:hrtimer_expire_entry", "timer:hrtimer_expire_exit"));
  EXPECT_EQ(kernel_events_matching("*"), (std::uint64_t{1} << MAXLAT_KERNEL_EVENT_COUNT) - 1);
}

}  // namespace
}  // namespace maxlat::trace
