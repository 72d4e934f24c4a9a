// SPDX-License-Identifier: MIT
#include "sampling_threads.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>

namespace maxlat::hwlat {

namespace fs = std::filesystem;

std::map<unsigned, double> sampling_thread_seconds(const std::string& proc) {
  constexpr std::string_view kName = "hwlatd/";
  std::map<unsigned, double> seconds;
  std::error_code gone;
  for (fs::directory_iterator entry(proc, gone), end; !gone && entry != end; entry.increment(gone)) {
    const std::string pid = entry->path().filename().string();
    if (pid.empty() || pid[0] < '0' || pid[0] > '9') continue;
    std::string name;
    std::ifstream comm(entry->path() / "comm");
    if (!std::getline(comm, name) || !name.starts_with(kName)) continue;
    unsigned cpu = 0;
    const char* digits = name.c_str() + kName.size();
    if (std::from_chars(digits, name.c_str() + name.size(), cpu).ptr == digits) continue;
    uint64_t run_ns = 0;
    std::ifstream schedstat(entry->path() / "schedstat");
    if (schedstat >> run_ns) seconds[cpu] = static_cast<double>(run_ns) * 1e-9;
  }
  return seconds;
}

}  // namespace maxlat::hwlat
