// SPDX-License-Identifier: MIT
//
// Writes a run with everything in it to standard output; `large FILE` writes one like a long run on 64 CPUs, `read
// FILE` reads a run and tells what that cost.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <maxlat/core/result/run_result.hpp>
#include <string>

#include "test_run.hpp"

using namespace maxlat::core;

namespace {

int failed(const Error& error) {
  fmt::print(stderr, "{}\n", error.text);
  return 1;
}

int read_and_tell(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  const auto run = read_run(path);
  if (!run) return failed(run.error());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  size_t bins = 0;
  for (const CpuResult& cpu : run->phases.back().per_cpu) bins += cpu.bins.size();
  fmt::print("{{\"cpus\": {}, \"bins\": {}, \"wall_s\": {:.3f}, \"cpu_s\": {:.3f}, \"peak_mib\": {}}}\n",
             run->phases.back().per_cpu.size(), bins, wall.count(),
             static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) / 1e6,
             used.ru_maxrss / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string path = argc > 2 ? argv[2] : "-";
  if (what == "read") return read_and_tell(path);
  const Status status = write_run(path, what == "large" ? large_run(64, 8000) : example_run());
  return status ? 0 : failed(status.error());
}
