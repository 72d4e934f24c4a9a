// SPDX-License-Identifier: MIT
// libFuzzer's target: a page of the kernel's trace buffer that somebody changed. It must not crash, read outside of the
// page or hang; every record must lie in the page, behind the one before it.
//
// INPUT: a byte, then changes of a sound page, 3 bytes each, { u8 place in words, u16 value }; where the first byte is
// 0, the page itself.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <maxlat/attribution/ring_page.hpp>
#include <memory>
#include <vector>

#include "test_page.hpp"

namespace {

using namespace maxlat::attribution;

void read(const std::vector<std::byte>& bytes) {
  // On the heap, exactly as large: AddressSanitizer sees a byte beyond.
  const auto exact = std::make_unique<std::byte[]>(bytes.size());
  std::memcpy(exact.get(), bytes.data(), bytes.size());
  RingPage page;
  (void)read_ring_page({exact.get(), bytes.size()}, page);
  const std::byte* place = exact.get();
  for (const RingRecord& record : page.records) {
    if (record.bytes.data() < place || record.bytes.data() + record.bytes.size() > exact.get() + bytes.size()) abort();
    place = record.bytes.data() + record.bytes.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size < 2) return 0;
  std::vector<std::byte> bytes;
  if (input[0] == 0) {
    bytes.resize(size - 1);
    std::memcpy(bytes.data(), input + 1, size - 1);
  } else {
    bytes = TestPage(1000).record(5, 12).long_record(7, 200).extend(3).stamp(99).discarded(8).record(1, 4).bytes();
    for (std::size_t at = 1; at + 3 <= size; at += 3) {
      const std::size_t place = input[at] * std::size_t{2} % (bytes.size() - 1);
      std::memcpy(bytes.data() + place, input + at + 1, 2);
    }
  }
  read(bytes);
  return 0;
}
