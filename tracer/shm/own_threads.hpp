// SPDX-License-Identifier: MIT
//
// Where the tracer's own threads may run: the one that listens to controllers and the one of a recorder inside the
// program. A thread inherits the CPUs of the thread that starts it, and that may be pinned to a CPU which the machine
// keeps free for it alone. So each of ours first leaves the isolated and the tickless CPUs:
//
//   MAXLAT_TRACE_CPUS=LIST     these CPUs, as far as the program's cpuset has them ("0,4-7", as the kernel writes
//                              lists)
//   MAXLAT_TRACE_CPUS=inherit  those of the thread that started it
//   otherwise                  the inherited ones without isolated and nohz_full; where none is left, all without them;
//                              where the cpuset has no other, the inherited ones
//
// A setuid program's environment is not asked. The recorder of `maxlat trace record` does the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace maxlat::trace::detail {

inline constexpr const char* kCpusVariable = "MAXLAT_TRACE_CPUS";

// As the kernel takes it; 8192 is the most that it is built for.
struct CpuMask {
  std::array<std::uint64_t, 8192 / 64> words{};

  bool has(unsigned cpu) const { return cpu / 64 < words.size() && (words[cpu / 64] >> cpu % 64 & 1) != 0; }
  bool empty() const { return words == decltype(words){}; }
  CpuMask without(const CpuMask& others) const;
  CpuMask together_with(const CpuMask& others) const;
};

// "0,4-7\n"; of "" none. nullopt: it is no list.
std::optional<CpuMask> cpu_mask(std::string_view list);

// Where a thread that inherited these may run, best first; what is left of the second counts where the first is empty.
std::array<CpuMask, 2> housekeeping_of(const CpuMask& inherited, const CpuMask& kept_free);

// Moves the calling thread. FAILURE: it stays where it is. THREADS: any. Reads files; not for signal handlers.
void leave_kept_free_cpus();

}  // namespace maxlat::trace::detail
