// SPDX-License-Identifier: MIT
#include "cyclictest_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <vector>

#include "histogram_rows.hpp"

namespace maxlat::npt {

std::string cyclictest_text(const Measurement& measurement, unsigned rows, bool with_rows) {
  constexpr double kMicrosecond = 1e3;
  std::string text;
  std::back_insert_iterator out(text);
  std::vector<HistogramRows> columns;
  for (const CpuMeasurement& cpu : measurement.cpus)
    columns.push_back(histogram_rows(cpu.histogram, measurement.clock, kMicrosecond, rows));

  const auto line = [&](const char* name, const char* separator, const std::function<uint64_t(size_t)>& value) {
    fmt::format_to(out, "{}", name);
    for (size_t i = 0; i < columns.size(); ++i) fmt::format_to(out, "{}{:06}", i == 0 ? "" : separator, value(i));
    fmt::format_to(out, "\n");
  };
  const auto us = [&](double ticks) { return static_cast<uint64_t>(measurement.clock.to_ns(ticks) / kMicrosecond); };
  const auto& cpus = measurement.cpus;

  fmt::format_to(out, "# Histogram\n");
  std::vector<size_t> next(columns.size(), 0);
  for (unsigned row = 0; with_rows && row < rows; ++row) {
    line(fmt::format("{:06} ", row).c_str(), "\t", [&](size_t i) -> uint64_t {
      const auto& of_cpu = columns[i].rows;
      return next[i] < of_cpu.size() && of_cpu[next[i]].value == row ? of_cpu[next[i]++].count : 0;
    });
  }
  line("# Total: ", " ", [&](size_t i) { return cpus[i].samples - columns[i].overruns; });
  line("# Min Latencies: ", " ", [&](size_t i) { return us(static_cast<double>(cpus[i].histogram.min())); });
  line("# Avg Latencies: ", " ", [&](size_t i) { return us(cpus[i].histogram.mean()); });
  line("# Max Latencies: ", " ", [&](size_t i) { return us(static_cast<double>(cpus[i].histogram.max())); });
  line("# Histogram Overflows: ", " ", [&](size_t i) { return columns[i].overruns; });
  for (size_t i = 0; i < cpus.size(); ++i) fmt::format_to(out, "# Thread {}: CPU {}\n", i, cpus[i].cpu);
  return text;
}

}  // namespace maxlat::npt
