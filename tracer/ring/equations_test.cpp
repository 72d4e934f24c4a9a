// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Equations 1 to 4 against the truth: the same questions asked of counters that never wrap. Built at several counter
// widths.
#include <gtest/gtest.h>
#include <maxlat/ring/commit.h>

extern "C" void maxlat_ring_test_step(void) {}
extern "C" uint64_t maxlat_ring_test_clock(bool) {
  return 0;
}

namespace {

// A ring of 4 sub-buffers of 16 bytes: small enough to walk through every state of several wraps of the counters.
constexpr uint32_t kSubBufferBits = 4, kRingBits = 2;
constexpr uint64_t kSize = 16, kBuffer = 64;

class Equations : public testing::Test {
 protected:
  const maxlat_ring_shape shape_ = maxlat_ring_shape_of(kSubBufferBits, kRingBits);
  // True positions begin where the counters are about to wrap, at any width.
  const uint64_t base_ = MAXLAT_RING_COUNT_BITS < 64 ? 0 : -(8 * kBuffer);
  const uint64_t span_ = MAXLAT_RING_COUNT_BITS <= 16 ? 3ull << (MAXLAT_RING_COUNT_BITS % 64) : 1ull << 16;

  // Bytes committed in the sub-buffer of `position` when all before `position` is, as a counter of its width shows it.
  static uint64_t commit_at(uint64_t base, uint64_t walked, uint64_t extra) {
    const uint64_t passes = (base >> (kSubBufferBits + kRingBits)) + walked / kBuffer;
    return (passes * kSize + extra) & MAXLAT_RING_COMMIT_MASK;
  }
};

TEST_F(Equations, FullWhenAllSubBuffersLieBetweenWriterAndReader) {
  for (uint64_t read = 0; read < span_; read += kSize) {
    for (uint64_t ahead = 0; ahead <= kBuffer; ++ahead) {
      EXPECT_EQ(maxlat_ring_full(&shape_, maxlat_ring_wrap(base_ + read + ahead), maxlat_ring_wrap(base_ + read)),
                ahead / kSize >= kBuffer / kSize);
    }
    if (HasFailure()) break;
  }
}

TEST_F(Equations, FilledExactlyWhenTheWholePassIsCommitted) {
  for (uint64_t at = 0; at < span_; ++at) {
    for (uint64_t committed = 0; committed <= kSize; ++committed) {
      ASSERT_EQ(maxlat_ring_filled(&shape_, maxlat_ring_wrap(base_ + at), commit_at(base_, at, committed)),
                committed == kSize)
          << at;
    }
  }
}

TEST_F(Equations, FullyCommittedExactlyWhenTheEarlierPassIsWhole) {
  for (uint64_t at = 0; at < span_; at += kSize) {
    for (uint64_t missing = 0; missing < kSize; ++missing) {
      ASSERT_EQ(maxlat_ring_fully_committed(&shape_, maxlat_ring_wrap(base_ + at), commit_at(base_, at, -missing)),
                missing == 0);
    }
  }
}

TEST_F(Equations, BeingWrittenExactlyInTheSameSubBuffer) {
  for (uint64_t read = 0; read < span_; read += kSize) {
    for (uint64_t ahead = 0; ahead < kBuffer; ++ahead) {
      ASSERT_EQ(
          maxlat_ring_being_written(&shape_, maxlat_ring_wrap(base_ + read + ahead), maxlat_ring_wrap(base_ + read)),
          ahead < kSize);
    }
  }
}

TEST_F(Equations, ThePrintedDeliveryTestWouldNeverDeliver) {
  // Algorithm 3, line 3 as printed asks equation 3 of the slot and the new count: false for each commit that fills.
  for (uint64_t at = 0; at < span_; at += kSize) {
    ASSERT_FALSE(maxlat_ring_fully_committed(&shape_, maxlat_ring_wrap(base_ + at), commit_at(base_, at, kSize)));
  }
}

TEST_F(Equations, RecordsAreCountedAcrossTheWrapOfTheBytes) {
  uint64_t commit = (MAXLAT_RING_COMMIT_MASK & ~(kSize - 1)) - 4 * kSize;  // five passes before the byte count wraps
  for (uint64_t pass = 0; pass < 12; ++pass) {
    const uint64_t before = commit;
    const uint64_t records = 1 + pass % 4;
    for (uint64_t i = 0; i < records; ++i) commit += kSize / 4 + MAXLAT_RING_ONE_RECORD;
    commit += kSize - records * (kSize / 4);
    EXPECT_EQ(maxlat_ring_records_between(before, commit), records) << "pass " << pass;
  }
}

}  // namespace
