// SPDX-License-Identifier: MIT
//
// Text on its way to a file, or to who takes it, made in place: `maxlat trace print` writes tens of millions of lines,
// and a formatting library's call for each number would be most of its time.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::trace_tools {

class OutputBuffer {
 public:
  explicit OutputBuffer(std::FILE* to) : to_(to), bytes_(kSize) {}
  // Keeps it until it is taken.
  OutputBuffer() : to_(nullptr), bytes_(kLine) {}

  void text(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    used_ += text.size();
  }
  void character(char c) {
    *room(1) = c;
    ++used_;
  }
  // An integer, or a floating-point number in the shortest form that reads back as the same.
  template <typename Number>
  void number(Number value) {
    char* at = room(kNumber);
    used_ += static_cast<std::size_t>(std::to_chars(at, at + kNumber, value).ptr - at);
  }
  // As babeltrace2 writes base 16: 0xFF.
  void hexadecimal(std::uint64_t value) { power_of_two(4, value); }
  // As babeltrace2 writes the bases 16, 8 and 2: 0xFF, 0377, 0b11. REQUIRES: 4, 3 or 1 bit a digit.
  void power_of_two(unsigned bits_a_digit, std::uint64_t value) {
    text(bits_a_digit == 4 ? "0x" : bits_a_digit == 3 ? "0" : "0b");
    unsigned digits = 1;
    while (digits * bits_a_digit < 64 && value >> digits * bits_a_digit != 0) ++digits;
    char* at = room(64);
    for (unsigned i = digits; i > 0; --i, value >>= bits_a_digit)
      at[i - 1] = "0123456789ABCDEF"[value & ((1u << bits_a_digit) - 1)];
    used_ += digits;
  }
  // The last `digits` decimal digits, zeros in front.
  void padded(unsigned value, int digits) {
    char* at = room(static_cast<std::size_t>(digits));
    for (int i = digits - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
    used_ += static_cast<std::size_t>(digits);
  }

  // False when something could not be written; what is appended afterwards goes nowhere.
  bool flush() {
    if (used_ != 0 && !failed_) failed_ = std::fwrite(bytes_.data(), 1, used_, to_) != used_;
    used_ = 0;
    return !failed_;
  }
  bool failed() const { return failed_; }
  // REQUIRES: no file.
  std::string taken() { return {bytes_.data(), std::exchange(used_, 0)}; }

 private:
  static constexpr std::size_t kSize = 1 << 18;
  static constexpr std::size_t kLine = 1 << 10;
  static constexpr std::size_t kNumber = 32;

  char* room(std::size_t size) {
    if (used_ + size > bytes_.size()) {
      if (to_ != nullptr) flush();
      if (used_ + size > bytes_.size()) bytes_.resize(2 * (used_ + size));
    }
    return bytes_.data() + used_;
  }

  std::FILE* to_;
  std::vector<char> bytes_;
  std::size_t used_ = 0;
  bool failed_ = false;
};

}  // namespace maxlat::trace_tools
