// SPDX-License-Identifier: MIT
#include "tracer_format.hpp"

#include <algorithm>
#include <charconv>

namespace maxlat::hwlat {

namespace {

// The number after `key`, blanks skipped. Takes what it read off the front of `text`.
std::optional<uint64_t> number_after(std::string_view& text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return std::nullopt;
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return value;
}

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

std::optional<TracerRecord> parse_tracer_line(std::string_view line) {
  const size_t mark = line.find("inner/outer(us):");
  const size_t bracket = line.rfind('[', mark);
  if (mark == std::string_view::npos || bracket == std::string_view::npos) return std::nullopt;
  TracerRecord record;
  std::string_view head = line.substr(bracket, mark - bracket);
  const std::optional<uint64_t> cpu = number_after(head, "[");
  if (!cpu || !head.starts_with(']')) return std::nullopt;
  const std::optional<uint64_t> sequence = number_after(head, "#");
  if (!sequence) return std::nullopt;

  std::string_view rest = line.substr(mark);
  const std::optional<uint64_t> inner = number_after(rest, "inner/outer(us):");
  const std::optional<uint64_t> outer = inner && rest.starts_with('/') ? number_after(rest, "/") : std::nullopt;
  const std::optional<uint64_t> seconds = outer ? number_after(rest, "ts:") : std::nullopt;
  const std::optional<uint64_t> fraction = seconds && rest.starts_with('.') ? number_after(rest, ".") : std::nullopt;
  if (!fraction || *fraction >= kNanosecondsPerSecond) return std::nullopt;
  record.cpu = static_cast<unsigned>(*cpu);
  record.sequence = *sequence;
  record.inner_us = *inner;
  record.outer_us = *outer;
  record.realtime_ns = *seconds * kNanosecondsPerSecond + *fraction;
  if (const auto count = number_after(rest, " count:")) record.count = *count;
  if (const auto total = number_after(rest, "nmi-total:")) record.nmi_total_ns = *total;
  if (const auto count = number_after(rest, "nmi-count:")) record.nmi_count = *count;
  return record;
}

uint64_t parse_lost_line(std::string_view line) {
  const std::optional<uint64_t> lost = number_after(line, "[LOST ");
  return lost && line.starts_with(" EVENTS]") ? *lost : 0;
}

}  // namespace maxlat::hwlat
