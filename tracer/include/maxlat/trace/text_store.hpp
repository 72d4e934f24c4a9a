// SPDX-License-Identifier: MIT
//
// The bytes of a text on their way into the ring, while another thread may write to them.
//
// The room for a text is reserved by the length that was counted first. Where the program writes to the text meanwhile,
// a zero byte may stand in the middle by the time it is copied; a reader would end the text there, and take what
// follows for the next field. So each byte is looked at as it is stored, and a zero becomes a '#'. A program with
// such a race gets a mixture of its texts, of the length that was counted, and the trace remains readable.
//
// COST: eight bytes a turn, which are read once: load, three operations, a branch, store.
#pragma once

#include <maxlat/base/platform.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace maxlat::trace::detail {

// A word with a '#' for each of its zero bytes. Exact: adding 0x7f to the low seven bits of a byte carries nothing into
// the next.
template <class Word>
[[gnu::always_inline]] inline Word without_zero_bytes(Word word) {
  constexpr auto kOnes = static_cast<Word>(0x0101010101010101u);
  constexpr auto kLow = static_cast<Word>(kOnes * 0x7f);
  const auto zeros = static_cast<Word>(~(((word & kLow) + kLow) | word | kLow));  // 0x80 where a byte is zero
  if (MAXLAT_LIKELY(zeros == 0)) return word;
  return static_cast<Word>(word | (zeros >> 7) * '#');
}

// Of a short literal gcc 12 sees loads of eight and of four bytes, and not that its size keeps them from being done.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
template <class Word>
[[gnu::always_inline]] inline void store_text_word(std::uint8_t* to, const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  asm("" : "+r"(word));  // from here on it is this value: not read again, which could find another one
  word = without_zero_bytes(word);
  std::memcpy(to, &word, sizeof word);
}
#pragma GCC diagnostic pop

// `size` bytes, none of them zero. RETURNS: behind them.
inline std::uint8_t* store_text(std::uint8_t* to, const char* from, std::size_t size) {
  const std::size_t words = size & ~std::size_t{7};
  for (std::size_t done = 0; done < words; done += 8) store_text_word<std::uint64_t>(to + done, from + done);
  to += words;
  from += words;
  if ((size & 4) != 0) {
    store_text_word<std::uint32_t>(to, from);
    to += 4;
    from += 4;
  }
  for (size &= 3; size != 0; --size) {
    const char byte = *static_cast<const volatile char*>(from++);  // volatile: read once, as above
    *to++ = static_cast<std::uint8_t>(byte != 0 ? byte : '#');
  }
  return to;
}

}  // namespace maxlat::trace::detail
