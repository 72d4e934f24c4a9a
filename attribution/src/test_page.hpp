// SPDX-License-Identifier: MIT
//
// A page of the kernel's trace buffer made by hand, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace maxlat::attribution {

class TestPage {
 public:
  static constexpr uint64_t kLost = uint64_t{1} << 31, kLostIsCounted = uint64_t{1} << 30;

  explicit TestPage(uint64_t time) {
    put(time);
    put(uint64_t{0});
  }
  // A record of `length` bytes, a multiple of 4 up to 112; each byte of its payload is the low one of `delta`.
  TestPage& record(uint32_t delta, uint32_t length) {
    put(uint32_t{length / 4} | delta << 5);
    return payload(delta, length);
  }
  TestPage& long_record(uint32_t delta, uint32_t length) {
    put(delta << 5);
    put(length + 4);
    return payload(delta, length);
  }
  TestPage& extend(uint32_t upper) {
    put(uint32_t{30});
    put(upper);
    return *this;
  }
  TestPage& stamp(uint64_t time) {
    put(31u | static_cast<uint32_t>(time & 0x7ffffff) << 5);
    put(static_cast<uint32_t>(time >> 27));
    return *this;
  }
  TestPage& discarded(uint32_t length) {
    put(29u | 1u << 5);
    put(length + 4);
    return payload(0, length);
  }
  // `flags`: kLost, kLostIsCounted
  std::vector<std::byte> bytes(uint64_t flags = 0) const {
    std::vector<std::byte> page = bytes_;
    const uint64_t commit = (page.size() - 16) | flags;
    std::memcpy(page.data() + 8, &commit, 8);
    page.resize(4096);
    return page;
  }

 private:
  template <class Word>
  void put(Word word) {
    const size_t place = bytes_.size();
    bytes_.resize(place + sizeof word);
    std::memcpy(bytes_.data() + place, &word, sizeof word);
  }
  TestPage& payload(uint32_t byte, uint32_t length) {
    bytes_.resize(bytes_.size() + length, static_cast<std::byte>(byte));
    return *this;
  }
  std::vector<std::byte> bytes_;
};

}  // namespace maxlat::attribution
