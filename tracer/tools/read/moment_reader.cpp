// SPDX-License-Identifier: MIT
#include "moment_reader.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <maxlat/core/sys/duration.hpp>
#include <optional>
#include <string>

#include "moment_writer.hpp"

namespace maxlat::trace_tools {
namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t all;
  if (!__builtin_add_overflow(a, b, &all)) return all;
  return b < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::int64_t at_second(std::int64_t seconds, std::int64_t fraction) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kNsOfSecond;
  return sum(std::clamp(seconds, -kMost, kMost) * kNsOfSecond, seconds > kMost ? kNsOfSecond : fraction);
}

// What is left of a text, taken from its front.
class MomentText {
 public:
  explicit MomentText(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Digits, so many at most, of a number from `least` to `most`.
  template <typename Number>
  bool number(std::size_t digits, Number least, Number most, Number& value) {
    const std::string_view front = rest_.substr(0, std::min(digits, rest_.find_first_not_of("0123456789")));
    const auto [end, error] = std::from_chars(front.data(), front.data() + front.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(end - front.data()));
    return error == std::errc{} && least <= value && value <= most;
  }
  // Nothing, or "." and digits: "." and "5" are half a second.
  std::int64_t fraction_ns() {
    if (!take('.')) return 0;
    std::int64_t ns = 0;
    for (std::int64_t unit = kNsOfSecond / 10; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; unit /= 10) {
      ns += unit * (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return ns;
  }

 private:
  std::string_view rest_;
};

bool take_date(MomentText& words, struct tm& day) {
  int year = 0;
  if (!words.number(4, 1900, 9999, year) || !words.take('-') || !words.number(2, 1, 12, day.tm_mon) ||
      !words.take('-') || !words.number(2, 1, 31, day.tm_mday)) {
    return false;
  }
  day.tm_year = year - 1900;
  day.tm_mon -= 1;
  struct tm same = day;  // the 30th of February would become a day of March
  return timegm(&same) != -1 && same.tm_mday == day.tm_mday;
}

// "12:53:05.25", or less from the end.
bool take_time_of_day(MomentText& words, struct tm& day, std::int64_t& fraction) {
  if (!words.number(2, 0, 23, day.tm_hour)) return false;
  if (words.take(':') && !words.number(2, 0, 59, day.tm_min)) return false;
  if (words.take(':') && !words.number(2, 0, 59, day.tm_sec)) return false;
  fraction = words.fraction_ns();
  return true;
}

// "Z", "+01:00", "+0100" or "+01", in seconds east of Greenwich. Nothing: it is none of these.
std::optional<std::int64_t> take_zone(MomentText& words) {
  if (words.take('Z')) return 0;
  const bool west = words.take('-');
  int hours = 0, minutes = 0;
  if ((!west && !words.take('+')) || !words.number(2, 0, 14, hours)) return {};
  if (words.take(':') || !words.at_end())
    if (!words.number(2, 0, 59, minutes)) return {};
  return (west ? -1 : 1) * (hours * 3600 + minutes * 60);
}

std::optional<std::int64_t> date_and_time(std::string_view text) {
  MomentText words(text);
  struct tm day {};
  std::int64_t fraction = 0;
  if (!take_date(words, day)) return {};
  if ((words.take('T') || words.take(' ')) && !take_time_of_day(words, day, fraction)) return {};
  day.tm_isdst = -1;  // whichever the zone has then
  if (words.at_end()) return at_second(mktime(&day), fraction);
  const auto east_s = take_zone(words);
  if (!east_s || !words.at_end()) return {};
  return at_second(timegm(&day) - *east_s, fraction);
}

std::optional<std::int64_t> time_of_day(std::string_view text, std::int64_t first_ns) {
  MomentText words(text);
  const time_t first = first_ns / kNsOfSecond;
  struct tm day {};
  localtime_r(&first, &day);
  day.tm_min = day.tm_sec = 0;
  std::int64_t fraction = 0;
  if (!take_time_of_day(words, day, fraction) || !words.at_end()) return {};
  day.tm_isdst = -1;
  return at_second(mktime(&day), fraction);
}

std::optional<std::int64_t> since_1970(std::string_view text) {
  MomentText words(text);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t seconds = 0;
  if (!words.number<std::int64_t>(text.size(), 0, kMost, seconds)) return {};
  const std::int64_t fraction = words.fraction_ns();
  if (!words.at_end()) return {};
  return at_second(seconds, fraction);
}

}  // namespace

core::Result<std::int64_t> parse_moment(std::string_view text, std::int64_t first_ns) {
  if (text.starts_with('+')) {
    const auto after = core::parse_duration_ns(text.substr(1), core::kUnitNeeded);
    if (!after) return after.error();
    return sum(first_ns, static_cast<std::int64_t>(*after));
  }
  const bool has_date = text.find('-') == 4, has_colon = text.find(':') != std::string_view::npos;
  const auto time = has_date ? date_and_time(text) : has_colon ? time_of_day(text, first_ns) : since_1970(text);
  if (time) return *time;
  return core::Error{fmt::format("\"{}\" is no time", text),
                     "for example +1.5s (from the first event), 12:53:05.25, 2026-11-24T12:53:05.25, "
                     "2026-11-24T11:53:05Z or 1700000000.25"};
}

core::Result<std::int64_t> moment_option(const core::CommandLine& line, const std::string& name,
                                         std::int64_t first_ns) {
  const auto moment = parse_moment(line.get<std::string>(name), first_ns);
  if (!moment) return core::Error{fmt::format("--{}: {}", name, moment.error().text), moment.error().hint};
  return *moment;
}

}  // namespace maxlat::trace_tools
