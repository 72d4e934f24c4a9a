// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/run_queue_wait.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <string_view>

namespace maxlat::core {

RunQueueWait::RunQueueWait(const char* path) : file_(::open(path, O_RDONLY | O_CLOEXEC)) {}

uint64_t RunQueueWait::ns() const {
  char text[96];
  const ssize_t size = ::pread(file_.number(), text, sizeof text, 0);  // of -1 it is an error like any other
  if (size <= 0) return 0;
  std::string_view line(text, static_cast<size_t>(size));
  line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  uint64_t waited = 0;
  std::from_chars(line.data(), line.data() + line.size(), waited);
  return waited;
}

std::optional<TakenTimeVerdict> judge(const TakenTime& taken, const std::string& proc) {
  const double taken_s = static_cast<double>(taken.ns) / 1e9;
  if (taken.ns < kWorthAWarning_ns || taken_s < kWorthAWarning * taken.of_s) return {};
  std::string by;
  if (const auto task = task_that_has(taken.cpu, proc); task && task->real_time_priority > 0)
    by = fmt::format("; {} is there now", to_string(*task));
  return TakenTimeVerdict{
      taken_s >= kTooMuch * taken.of_s,
      fmt::format("other tasks had CPU {} for {} of {} while the loop wanted it ({:.2g} %){}", taken.cpu,
                  duration_text(taken_s), duration_text(taken.of_s), 100 * taken_s / taken.of_s, by)};
}

}  // namespace maxlat::core
