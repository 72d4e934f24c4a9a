// SPDX-License-Identifier: MIT
//
// The time that begins each line of `maxlat trace print`, and the time since the line before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "output_buffer.hpp"

namespace maxlat::trace_tools {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;

struct PrintStyle {
  bool json = false;
  bool delta = false;  // since the line before
};

class MomentWriter {
 public:
  MomentWriter(OutputBuffer& out, PrintStyle style) : out_(out), style_(style) {}
  void write(std::int64_t time_ns) {
    time(time_ns);
    if (style_.delta) delta(time_ns);
  }
  // Of an event without a time.
  void write_none();

 private:
  void time(std::int64_t time_ns);
  void delta(std::int64_t time_ns);

  OutputBuffer& out_;
  PrintStyle style_;
  std::optional<std::int64_t> last_ns_;
  std::optional<std::int64_t> second_;
  std::string second_words_;
};

// "[12:53:05.123456789]", local time
std::string moment_text(std::int64_t time_ns);
std::string moment_json(std::optional<std::int64_t> time_ns);
// ", between A and B", as far as they are known
std::string place_text(std::optional<std::int64_t> after_ns, std::optional<std::int64_t> before_ns);

}  // namespace maxlat::trace_tools
