// SPDX-License-Identifier: MIT
//
// Packets made by hand, for tests: the bytes that a ring and a consumer would leave, at times of the test's choosing.
#pragma once

#include <maxlat/ring/record.h>

#include <cstdint>
#include <cstring>
#include <maxlat/trace/ctf_format.hpp>
#include <string>
#include <string_view>

namespace maxlat::trace::test {

// The payload of one record, field by field.
class Payload {
 public:
  template <typename Number>
  Payload& number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Payload& text(std::string_view value) {
    bytes_.append(value).push_back('\0');
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Packet {
 public:
  Packet(const std::array<std::uint8_t, 32>& prefix, std::uint64_t sequence, std::uint64_t begin_time) {
    std::memcpy(head_.prefix, prefix.data(), prefix.size());
    head_.sequence = sequence;
    head_.begin_time = head_.end_time = begin_time;
  }

  Packet& short_record(std::uint32_t id, std::uint64_t time, const Payload& payload) {
    const std::uint64_t size = padded(8 + payload.bytes().size());
    word(maxlat_ring_record_word(maxlat_ring_record_kind(id, size), head_.sequence, time));
    return body(time, payload);
  }
  Packet& long_record(std::uint32_t id, std::uint64_t time, const Payload& payload) {
    const std::uint64_t size = padded(24 + payload.bytes().size());
    word(maxlat_ring_record_word(maxlat_ring_record_kind(MAXLAT_RING_LONG_ID, 0), head_.sequence, time));
    word(size / 8 | std::uint64_t{id} << 32);
    word(time);
    return body(time, payload);
  }
  Packet& lost(std::uint64_t full, std::uint64_t wrap, std::uint64_t big) {
    head_.lost_full = full;
    head_.lost_wrap = wrap;
    head_.lost_big = big;
    head_.lost_total = full + wrap + big;
    return *this;
  }
  Packet& ends(std::uint64_t time) {
    head_.end_time = time;
    return *this;
  }

  // To be bent by tests of what goes wrong.
  maxlat_ring_packet& head() { return head_; }

  std::string bytes() const {
    maxlat_ring_packet head = head_;
    head.content_bits = head.packet_bits = 8 * (sizeof head + body_.size());
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body_;
  }

 private:
  static std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }
  void word(std::uint64_t value) { body_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  Packet& body(std::uint64_t time, const Payload& payload) {
    body_ += payload.bytes();
    body_.resize(padded(body_.size()), '\xee');  // padding may hold anything
    head_.end_time = time;
    ++head_.records;
    return *this;
  }

  maxlat_ring_packet head_{};
  std::string body_;
};

}  // namespace maxlat::trace::test
