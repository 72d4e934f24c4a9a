// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Asks for snapshots of a ring, answers them, and knows what the ring must keep until then (freeze.h): for tests.
#pragma once

#include <maxlat/ring/freeze.h>

#include <cstdint>

namespace maxlat::ring_test {

class Freezer {
 public:
  explicit Freezer(const maxlat_ring& ring)
      : ring_(ring), next_(maxlat_ring_packet_number(&ring.shape, *ring.write_count)) {
    words_.limit = kEver;
  }

  const maxlat_ring_freeze* words() const { return &words_; }

  // A writer's, or its handler's.
  void request() {
    if (words_.answered >= kFreezes) return;
    maxlat_ring_request_snapshot(&words_);
    if (!kept_) keep();
  }

  // The reader's, when it has found nothing: what was asked for before the last such call is in its hands. With a
  // stretch: half the ring may go to what comes after the next request.
  void answer(bool stretch) {
    if (!pending()) words_.stretch = stretch ? kEver : 0;
    if (!pending()) return;
    const std::uint64_t seen = seen_;
    seen_ = words_.requests;
    if (seen == words_.answered) return;
    words_.answered = seen;
    kept_ = pending();
    if (kept_) keep();
  }

  // RETURNS: false: packets were overwritten that must be here before this one.
  bool may_come(std::uint64_t number) {
    const bool may = !kept_ || !pending() || !later(number, next_) || !later(number, kept_from_);
    next_ = number + 1;
    return may;
  }

 private:
  static constexpr std::uint64_t kEver = ~0ull >> 2;
  // A place says of which of seven freezes it is. The narrowest counters come round to an old place before eight do.
  static constexpr std::uint64_t kFreezes = MAXLAT_RING_COUNT_BITS < 16 ? 6 : kEver;

  bool pending() const { return maxlat_ring_unanswered(words_.requests, words_.answered); }

  // A writer that had looked before the request may enter one packet all the same.
  void keep() {
    const std::uint64_t sub_buffers = maxlat_ring_sub_buffers(&ring_);
    const std::uint64_t entered =
        maxlat_ring_packet_number(&ring_.shape, maxlat_ring_wrap(*ring_.write_count + ring_.shape.sub_buffer_mask));
    kept_from_ = entered + 1 + (words_.stretch != 0 ? sub_buffers / 2 : 0) - sub_buffers;
    kept_ = true;
  }

  // Numbers wrap with the counters.
  bool later(std::uint64_t number, std::uint64_t other) const {
    const std::uint64_t all = maxlat_ring_packet_number(&ring_.shape, MAXLAT_RING_COUNT_MASK);
    const std::uint64_t distance = (number - other) & all;
    return distance != 0 && distance <= all / 2;
  }

  const maxlat_ring& ring_;
  maxlat_ring_freeze words_{};
  bool kept_ = false;
  std::uint64_t next_, kept_from_ = 0, seen_ = 0;
};

}  // namespace maxlat::ring_test
