// SPDX-License-Identifier: MIT
// libFuzzer's target: bytes over a session's memory, then everything that a consumer does with it. It must not crash,
// read out of bounds or hang. Built with the compiler's fuzzer where there is one (clang); otherwise by fuzz_driver,
// which feeds it random changes.
//
// INPUT: records of 10 bytes, { u16 place, u64 value }: the place counts 8-byte words of the head (header, table of
// objects, objects with their slots) and of the rings, so that every input reaches past the magic number.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "test_session.hpp"
#include "test_session_visit.hpp"

namespace {

using namespace maxlat::trace;

struct Target {
  Target()
      : session({{.name = "a", .sub_buffer_bits = 8, .ring_bits = 1, .slots = 2},
                 {.name = "b", .features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = 8, .ring_bits = 1, .slots = 2}}) {
    for (std::size_t channel : {0u, 1u}) {
      for (std::uint32_t slot : {0u, 1u}) {
        maxlat_ring& ring = session.claim(channel, slot, 5);
        for (int i = 0; i < 9; ++i) maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 1, 2, 3, 4);
      }
      const maxlat_shm_channel& shape = session.channel(channel);
      add_places(shape.rings_offset, 2 * shape.ring_stride);
    }
    // Header, the whole table, the objects. Four times, so that rings do not leave them one input in a hundred.
    const maxlat_shm_entry& last = session.entry(MAXLAT_SHM_CHANNEL, 1);
    for (int i = 0; i < 4; ++i) add_places(0, last.offset + last.size);
    good.assign(session.bytes(), session.bytes() + session.header().total_size);
  }
  void add_places(std::uint64_t from, std::uint64_t size) {
    for (std::uint64_t at = from; at < from + size; at += 8) places.push_back(at);
  }

  test::TestSession session;
  std::vector<std::uint64_t> places;
  std::vector<std::uint8_t> good;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Target target;
  std::memcpy(target.session.bytes(), target.good.data(), target.good.size());
  for (; size >= 10; bytes += 10, size -= 10) {
    std::uint16_t place;
    std::memcpy(&place, bytes, sizeof place);
    std::memcpy(target.session.bytes() + target.places[place % target.places.size()], bytes + 2, 8);
  }
  test::visit_session(target.session.fd());
  return 0;
}
