// SPDX-License-Identifier: MIT
#include "moment_writer.hpp"

#include <time.h>

namespace maxlat::trace_tools {
namespace {

// "[12:53:05.", local time
std::string second_words(std::int64_t second) {
  const time_t since_1970 = second;
  struct tm local {};
  localtime_r(&since_1970, &local);
  char words[32];
  return {words, strftime(words, sizeof words, "[%H:%M:%S.", &local)};
}

}  // namespace

std::string moment_text(std::int64_t time_ns) {
  std::int64_t second = time_ns / kNsOfSecond;
  if (time_ns % kNsOfSecond < 0) --second;
  std::string fraction = std::to_string(time_ns - second * kNsOfSecond);
  return second_words(second) + std::string(9 - fraction.size(), '0') + fraction + "]";
}

std::string moment_json(std::optional<std::int64_t> time_ns) {
  return time_ns ? std::to_string(*time_ns) : "null";
}

std::string place_text(std::optional<std::int64_t> after_ns, std::optional<std::int64_t> before_ns) {
  if (after_ns && before_ns) return ", between " + moment_text(*after_ns) + " and " + moment_text(*before_ns);
  if (before_ns) return ", before " + moment_text(*before_ns);
  return after_ns ? ", after " + moment_text(*after_ns) : "";
}

void MomentWriter::write_none() {
  out_.text(style_.json ? "{\"time_ns\":null" : "[no time] ");
  if (style_.delta)
    out_.text(style_.json ? ",\"delta_ns\":null"
                          : "(+?.?????????"
                            ") ");
}

void MomentWriter::time(std::int64_t time_ns) {
  if (style_.json) {
    out_.text("{\"time_ns\":");
    out_.number(time_ns);
    return;
  }
  std::int64_t second = time_ns / kNsOfSecond;
  if (time_ns % kNsOfSecond < 0) --second;
  if (second != second_) {
    second_words_ = second_words(second);
    second_ = second;
  }
  out_.text(second_words_);
  out_.padded(static_cast<unsigned>(time_ns - second * kNsOfSecond), 9);
  out_.text("] ");
}

void MomentWriter::delta(std::int64_t time_ns) {
  const std::int64_t since = last_ns_ ? time_ns - *last_ns_ : 0;
  if (style_.json) {
    out_.text(",\"delta_ns\":");
    if (last_ns_)
      out_.number(since);
    else
      out_.text("null");
  } else if (!last_ns_) {
    out_.text(
        "(+?.?????????"
        ") ");
  } else {
    // Back in time is possible in a trace that is damaged, and is shown as it is.
    const auto size = static_cast<std::uint64_t>(since < 0 ? -since : since);
    out_.text(since < 0 ? "(-" : "(+");
    out_.number(size / kNsOfSecond);
    out_.character('.');
    out_.padded(static_cast<unsigned>(size % kNsOfSecond), 9);
    out_.text(") ");
  }
  last_ns_ = time_ns;
}

}  // namespace maxlat::trace_tools
