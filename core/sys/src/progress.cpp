// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <maxlat/core/sys/progress.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/terminal.hpp>

namespace maxlat::core {
namespace {

constexpr auto kPlainLineEvery = std::chrono::seconds(10);

// "02:03", and "27:46:40" from an hour on.
std::string clock_text(std::chrono::seconds time) {
  const auto seconds = std::max<long long>(0, time.count());
  return seconds < 3600 ? fmt::format("{:02}:{:02}", seconds / 60, seconds % 60)
                        : fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// A line longer than the terminal is wide would wrap, and '\r' would no longer reach its beginning.
size_t most_columns() {
  constexpr size_t kNarrow = 80;  // as wide as any terminal
  return terminal_width(STDERR_FILENO).value_or(kNarrow) - 1;
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear_line();
}

void Progress::show(std::string_view what, double done_fraction, std::chrono::seconds left, std::string_view more) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const bool first = last_plain_ == std::chrono::steady_clock::time_point{};
  if (!terminal_ && !first && now - last_plain_ < kPlainLineEvery) return;

  const int percent = static_cast<int>(std::clamp(done_fraction, 0.0, 1.0) * 100);
  std::string line = fmt::format("{}  {:3} %  {} left", what, percent, clock_text(left));
  if (!more.empty()) line += fmt::format(", {}", more);
  if (terminal_) {
    line.resize(std::min(line.size(), most_columns()));
    tell("\r{}\033[K", line);
    line_open_ = true;
  } else {
    tell("{}\n", line);
    last_plain_ = now;
  }
}

void Progress::note(std::string_view line) {
  if (quiet_) return;
  clear_line();
  tell("{}\n", line);
}

void Progress::clear_line() {
  if (!line_open_) return;
  tell("\r\033[K");
  line_open_ = false;
}

}  // namespace maxlat::core
