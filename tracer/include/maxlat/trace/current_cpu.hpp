// SPDX-License-Identifier: MIT
//
// On which CPU the calling thread runs, for a load instead of a call: from the area that glibc (2.35 and later)
// registered with rseq(2) and the kernel keeps current at every migration. Where there is none, sched_getcpu().
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

// The word in which the kernel keeps the calling thread's CPU. RETURNS: null when there is none; also by this glibc's
// tunables, or an old kernel: then the word is negative, as a number.
inline const volatile std::uint32_t* word_of_current_cpu() {
#ifdef MAXLAT_TRACE_HAS_RSEQ
  const auto* area =
      reinterpret_cast<const volatile rseq*>(static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset);
  if (static_cast<std::int32_t>(area->cpu_id) >= 0) return &area->cpu_id;
#endif
  return nullptr;
}

// RETURNS: 0xffffffff when nobody knows.
inline std::uint32_t current_cpu() {
  const volatile std::uint32_t* word = word_of_current_cpu();
  return word != nullptr ? *word : static_cast<std::uint32_t>(sched_getcpu());
}

}  // namespace maxlat::trace::detail
