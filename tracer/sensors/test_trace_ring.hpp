// SPDX-License-Identifier: MIT
// For tests: a group with a trace, and the program's own view of its ring.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <maxlat/sensors/trace_ring.hpp>

#include "sensors/test_events.hpp"

MAXLAT_TRACE_EVENT(traced, said, (maxlat::trace::String<40>, text), (std::uint8_t, last))

namespace maxlat::sensors::test {

template <std::size_t kPackets, std::size_t kBytes>
struct Traced {
  TraceRing<kPackets, kBytes, MAXLAT_LISTED_EVENT(traced, said), MAXLAT_LISTED_EVENT(listed, number)> list{
      "list", "what it did"};
  Counter after{"after"};

  void post(std::uint64_t n) { MAXLAT_POST(list, listed, number, n, ~n, 7); }
  // The program's own view of its ring.
  maxlat_ring ring() {
    const auto& shape = reinterpret_cast<const maxlat_sensor&>(list).shape;
    const maxlat_trace_ring_shape form = maxlat_trace_ring_shape_of(shape[0], shape[1]);
    maxlat_ring ring{};
    EXPECT_TRUE(maxlat_ring_attach(&ring, reinterpret_cast<std::uint8_t*>(&list) + maxlat_trace_ring_offset(form),
                                   maxlat_trace_ring_total(form)));
    return ring;
  }
};
constexpr std::uint64_t kOfSmall = 3;  // numbers in a packet of 256 bytes: (256 - 112) / 40
using Small = Traced<4, 256>;

}  // namespace maxlat::sensors::test
