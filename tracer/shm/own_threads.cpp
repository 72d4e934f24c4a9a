// SPDX-License-Identifier: MIT
#include "shm/own_threads.hpp"

#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>

namespace maxlat::trace::detail {
namespace {

CpuMask listed_in(const char* path) {
  std::ifstream file(path);
  std::string list;
  std::getline(file, list);
  return cpu_mask(list).value_or(CpuMask{});
}

// The kernel keeps what the cpuset has, and refuses when that is nothing.
bool move_to(const CpuMask& cpus) {
  return !cpus.empty() && syscall(SYS_sched_setaffinity, 0, sizeof cpus.words, cpus.words.data()) == 0;
}

// Once: each of our threads looks.
void say_not_followed(const char* wish) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(stderr, "maxlat: %s: CPUs that the program may have, such as 0,4-7, or inherit, not %s\n", kCpusVariable,
               wish);
}

}  // namespace

CpuMask CpuMask::without(const CpuMask& others) const {
  CpuMask rest;
  for (std::size_t i = 0; i < words.size(); ++i) rest.words[i] = words[i] & ~others.words[i];
  return rest;
}

CpuMask CpuMask::together_with(const CpuMask& others) const {
  CpuMask all;
  for (std::size_t i = 0; i < words.size(); ++i) all.words[i] = words[i] | others.words[i];
  return all;
}

std::optional<CpuMask> cpu_mask(std::string_view list) {
  while (!list.empty() && (list.back() == '\n' || list.back() == ' ')) list.remove_suffix(1);
  CpuMask mask;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    unsigned first = 0, last = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) return std::nullopt;
    last = first;
    if (read.ptr != end && *read.ptr == '-') {
      read = std::from_chars(read.ptr + 1, end, last);
      if (read.ec != std::errc()) return std::nullopt;
    }
    if (last < first || last / 64 >= mask.words.size()) return std::nullopt;
    for (unsigned cpu = first; cpu <= last; ++cpu) mask.words[cpu / 64] |= std::uint64_t{1} << cpu % 64;
    at = read.ptr;
    if (at == end) break;
    if (*at != ',' || ++at == end) return std::nullopt;
  }
  return mask;
}

std::array<CpuMask, 2> housekeeping_of(const CpuMask& inherited, const CpuMask& kept_free) {
  CpuMask all;
  all.words.fill(~std::uint64_t{0});
  return {inherited.without(kept_free), all.without(kept_free)};
}

void leave_kept_free_cpus() {
  if (const char* wish = secure_getenv(kCpusVariable); wish != nullptr && *wish != 0) {
    if (std::string_view(wish) == "inherit") return;
    const std::optional<CpuMask> cpus = cpu_mask(wish);
    if (!cpus || !move_to(*cpus)) say_not_followed(wish);
    return;
  }
  CpuMask inherited;
  if (syscall(SYS_sched_getaffinity, 0, sizeof inherited.words, inherited.words.data()) < 0) return;
  const CpuMask kept_free =
      listed_in("/sys/devices/system/cpu/isolated").together_with(listed_in("/sys/devices/system/cpu/nohz_full"));
  if (kept_free.empty()) return;
  for (const CpuMask& cpus : housekeeping_of(inherited, kept_free)) {
    if (move_to(cpus)) return;
  }
}

}  // namespace maxlat::trace::detail
