// SPDX-License-Identifier: MIT
//
// What every part of the comparison needs: an end with one line, CPUs, time, the median.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <maxlat/base/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::bench {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "tracer_peers: %s\n", what.c_str());
  std::exit(1);
}
inline void check(const base::Status& status) {
  if (!status) fail(status.error().text);
}
template <class Value>
Value value_of(base::Result<Value> result) {
  if (!result) fail(result.error().text);
  return std::move(*result);
}

inline std::chrono::nanoseconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

inline void pin(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
}

inline std::vector<int> allowed_cpus() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

// Not a number when there is none.
inline double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace maxlat::bench
