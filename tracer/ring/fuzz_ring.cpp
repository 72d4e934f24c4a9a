// SPDX-License-Identifier: MIT OR GPL-2.0-only
// libFuzzer: an honest ring, and what the input changes in it. Byte 0 chooses the mode; then {u16 offset, u64 value}
// each replace a word. An input whose first byte is odd and large is the memory itself.
#include "test_hostile.hpp"

using namespace maxlat::ring_test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0) return 0;
  if (input[0] == 0xff) {
    read_hostile({input + 1, input + size});
    return 0;
  }
  static const std::vector<uint8_t> honest[2] = {honest_ring(0), honest_ring(MAXLAT_RING_OVERWRITE)};
  std::vector<uint8_t> bytes = honest[input[0] & 1];
  for (size_t at = 1; at + 10 <= size; at += 10) {
    uint16_t offset;
    std::memcpy(&offset, input + at, sizeof offset);
    // Most of the first page is not used: counters and cells are hit as often as records.
    const size_t word =
        offset % 2 == 0 ? offset % 320 : MAXLAT_RING_PAGE + offset % (bytes.size() - MAXLAT_RING_PAGE - 8);
    std::memcpy(bytes.data() + word / 8 * 8, input + at + 2, 8);
  }
  read_hostile(bytes);
  return 0;
}
