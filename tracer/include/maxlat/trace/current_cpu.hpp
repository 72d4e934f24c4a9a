// SPDX-License-Identifier: MIT
//
// On which CPU the calling thread runs, for two instructions instead of a call: from the area that glibc (2.35 and
// later) registered with rseq(2) and the kernel keeps current at every migration. Where there is none, sched_getcpu().
//
// THREADS, SIGNALS: any. The answer may be old by the time it is used.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

#if __has_include(<sys/rseq.h>) && defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
#include <sys/rseq.h>
#define MAXLAT_TRACE_HAS_RSEQ 1
#endif
#endif

namespace maxlat::trace::detail {

// RETURNS: 0xffffffff when nobody knows.
[[gnu::always_inline]] inline std::uint32_t current_cpu() {
#ifdef MAXLAT_TRACE_HAS_RSEQ
  const auto* area =
      reinterpret_cast<const volatile rseq*>(static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset);
  // Negative, as a number: not registered (by this glibc's tunables, or an old kernel).
  const auto cpu = static_cast<std::int32_t>(area->cpu_id);
  if (__builtin_expect(cpu >= 0, 1)) return static_cast<std::uint32_t>(cpu);
#endif
  return static_cast<std::uint32_t>(sched_getcpu());
}

}  // namespace maxlat::trace::detail
