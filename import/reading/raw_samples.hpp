// SPDX-License-Identifier: MIT
//
// Samples that a file lists one by one, as a histogram for each CPU: the memory is that of the CPUs, however many
// samples there are. Values are whole numbers of the meter's unit, and a bin is at most 0.1 % or one unit wide.
#pragma once

#include <cstdint>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/outliers.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <vector>

namespace maxlat::importing {

class RawSamples {
 public:
  static constexpr size_t kMostCpus = 1024;         // with samples: a histogram takes 254 KiB
  static constexpr uint64_t kLargest = 1ull << 44;  // 4.9 h in nanoseconds, half a year in microseconds

  // `has_times`: the largest samples are kept with the time of each.
  explicit RawSamples(double unit_ns, bool has_times = false) : unit_ns_(unit_ns), has_times_(has_times) {}

  // ERRORS: a CPU or a value beyond the limits above. Otherwise nullptr, to be cheap.
  const char* record(unsigned cpu, uint64_t value, uint64_t t_ns = 0);
  // In the order of the CPUs' numbers; without exposure.
  std::vector<core::CpuResult> results() const;

 private:
  struct OfCpu {
    base::Histogram histogram;
    core::Outliers largest{20};
  };

  double unit_ns_;
  bool has_times_;
  size_t cpus_ = 0;
  std::vector<std::unique_ptr<OfCpu>> by_cpu_;
};

}  // namespace maxlat::importing
