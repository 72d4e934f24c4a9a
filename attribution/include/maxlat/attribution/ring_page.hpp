// SPDX-License-Identifier: MIT
//
// One page of the kernel's trace buffer, as a read of trace_pipe_raw gives it, taken apart.
//
//        0           8                       16                                        16 + bytes
//        | time: u64 | bytes: 27 bits, flags | record | record | ... | bytes           | lost: u64 | unused ...
//
//   record     u32 { type_length: 5, time_delta: 27 }, then
//     1 .. 28  so many words of payload
//     0        a word with the payload's length and its own, then the payload, padded to a word
//     29       padding: time_delta 0: nothing follows; else a word with its length, then as much that was discarded
//     30       a word with the upper bits of a long delta
//     31       a word with the upper bits of an absolute time; the topmost five are the page's
//
// Why not libtraceevent's kbuffer: it believes every length on the page. Here each is checked before it is used, so
// that damaged memory is an error that says where (fuzz_ring_page.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <vector>

namespace maxlat::attribution {

struct RingRecord {
  uint64_t tick = 0;
  std::span<const std::byte> bytes;  // of the page
};

struct RingPage {
  bool lost_before = false;            // events between the page before and this one were overwritten
  std::optional<uint64_t> lost_count;  // how many: the kernel says it where the page has room for it
  std::vector<RingRecord> records;
};

// Into `page`, whose memory is used again. ERRORS: a page that no kernel writes; `page` has what was before the damage.
core::Status read_ring_page(std::span<const std::byte> bytes, RingPage& page);

}  // namespace maxlat::attribution
