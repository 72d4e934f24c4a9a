// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstring>
#include <maxlat/attribution/ring_page.hpp>
#include <utility>

namespace maxlat::attribution {
namespace {

constexpr size_t kHead = 16;
constexpr uint64_t kLengthBits = (uint64_t{1} << 27) - 1, kLost = uint64_t{1} << 31, kLostIsCounted = uint64_t{1} << 30;
constexpr uint32_t kPadding = 29, kTimeExtend = 30, kTimeStamp = 31;
constexpr uint64_t kTopmostBits = uint64_t{0x1f} << 59;  // what an absolute time has no room for

template <class Word>
Word word_at(std::span<const std::byte> bytes, size_t place) {
  Word word;
  std::memcpy(&word, bytes.data() + place, sizeof word);
  return word;
}

core::Error damaged(size_t place, const char* what) {
  return {fmt::format("the kernel's trace buffer is damaged: at byte {} of a page {}", place, what)};
}

}  // namespace

core::Status read_ring_page(std::span<const std::byte> bytes, RingPage& page) {
  page = {.lost_before = false, .lost_count = {}, .records = std::move(page.records)};
  page.records.clear();
  if (bytes.size() < kHead) return damaged(0, "is no room for its head");
  const auto commit = word_at<uint64_t>(bytes, 8);
  const size_t end = kHead + (commit & kLengthBits);
  if (end > bytes.size()) return damaged(8, "is a length beyond its end");
  auto tick = word_at<uint64_t>(bytes, 0);
  page.lost_before = (commit & kLost) != 0;
  if (page.lost_before && (commit & kLostIsCounted) != 0) {
    if (bytes.size() - end < 8) return damaged(end, "is no room for the count of what was lost");
    page.lost_count = word_at<uint64_t>(bytes, end);
  }

  for (size_t place = kHead; place < end;) {
    if (end - place < 4) return damaged(place, "is no room for a record");
    const auto head = word_at<uint32_t>(bytes, place);
    const uint32_t type = head & 0x1f, delta = head >> 5;
    if (type == kPadding && delta == 0) break;
    const bool has_word = type == 0 || type >= kPadding;
    if (has_word && end - place < 8) return damaged(place, "is no room for a record");
    const uint32_t word = has_word ? word_at<uint32_t>(bytes, place + 4) : 0;
    if (type == kTimeStamp) {
      tick = (tick & kTopmostBits) | uint64_t{word} << 27 | delta;
      place += 8;
      continue;
    }
    if (type == kTimeExtend) {
      tick += uint64_t{word} << 27 | delta;
      place += 8;
      continue;
    }
    tick += delta;
    const size_t payload = place + (has_word ? 8 : 4);
    if (has_word && word < 4) return damaged(place, "is a record shorter than its length");
    const uint64_t length = has_word ? uint64_t{word} - 4 : uint64_t{type} * 4;
    if (length > end - payload) return damaged(place, "is a record beyond the end");
    if (type != kPadding) page.records.push_back({tick, bytes.subspan(payload, length)});
    place = payload + ((length + 3) & ~uint64_t{3});
  }
  return {};
}

}  // namespace maxlat::attribution
