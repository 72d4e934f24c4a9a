// SPDX-License-Identifier: MIT
//
// What is imported: a file, a pipe or a text in memory, read once from front to back. Line by line it takes memory for
// one block, however long the file is; as a whole it takes as much as there is.
//
// OWNERSHIP: what next_line() returns is good until its next call; beginning() and whole() until next_line() is called.
// A text in memory is the caller's, and must outlive this.
// ERRORS: what the system says of the file; a line that is longer than kLongestLine, which no text has.
#pragma once

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace maxlat::importing {

class InputText {
 public:
  static constexpr size_t kBeginning = 64 << 10;
  // cyclictest writes one line with the numbers of all cycles beyond its histogram: up to a million of them.
  static constexpr size_t kLongestLine = 16 << 20;

  explicit InputText(std::string_view text) : rest_(text) {}
  // `path` may be a pipe.
  static core::Result<InputText> open(const std::string& path);
  InputText(InputText&& other) noexcept;
  InputText& operator=(InputText&&) = delete;
  ~InputText() = default;

  // Its first kBeginning bytes, or all of it if it is shorter. REQUIRES: next_line() was not called yet.
  core::Result<std::string_view> beginning();
  // All that was not read yet.
  core::Result<std::string_view> whole();

  // The next line without its end, "\n" or "\r\n"; nothing at the end, and after an error.
  std::optional<std::string_view> next_line();
  // The number of the line that next_line() returned last, from 1.
  uint64_t line_number() const { return line_number_; }
  // Whether the last line had an end, as those of every tool have: a file that was cut off ends in the middle of one.
  bool last_line_ended() const { return last_line_ended_; }
  // Whether the end is the end: no error stopped the reading.
  core::Status status() const;

 private:
  InputText(base::Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  // At least so many unread bytes in rest_, unless the file ends before.
  void fill(size_t wanted);

  base::Descriptor file_;  // none: all of it is in rest_
  std::string path_;
  std::string block_;      // what was read from the file
  std::string_view rest_;  // of block_, or of the text in memory: not yet returned
  uint64_t line_number_ = 0;
  bool last_line_ended_ = true;
  std::optional<core::Error> error_;
};

}  // namespace maxlat::importing
