// SPDX-License-Identifier: MIT
#include <maxlat/trace/probe.hpp>

#include "arms.hpp"

#define ARM_EVENTS(arm)                                                                                       \
  MAXLAT_TRACE_EVENT(arm, f0)                                                                                 \
  MAXLAT_TRACE_EVENT(arm, f1, (std::uint64_t, a))                                                             \
  MAXLAT_TRACE_EVENT(arm, f3, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))                     \
  MAXLAT_TRACE_EVENT(arm, f8, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c), (std::uint64_t, d), \
                     (std::uint64_t, e), (std::uint64_t, f), (std::uint64_t, g), (std::uint64_t, h))

ARM_EVENTS(off)
ARM_EVENTS(thread_discard)
ARM_EVENTS(thread_overwrite)
ARM_EVENTS(thread_wakeup)
ARM_EVENTS(thread_with_cpu)
ARM_EVENTS(cpu_discard)
ARM_EVENTS(cpu_overwrite)
ARM_EVENTS(cpu_wakeup)
ARM_EVENTS(full)

#define ARM(arm, text)                                                                           \
  Arm {                                                                                          \
    text, {                                                                                      \
      [](std::uint64_t n) {                                                                      \
        for (std::uint64_t i = 0; i < n; ++i) MAXLAT_TRACE(arm, f0);                             \
      },                                                                                         \
          [](std::uint64_t n) {                                                                  \
            for (std::uint64_t i = 0; i < n; ++i) MAXLAT_TRACE(arm, f1, i);                      \
          },                                                                                     \
          [](std::uint64_t n) {                                                                  \
            for (std::uint64_t i = 0; i < n; ++i) MAXLAT_TRACE(arm, f3, i, i, i);                \
          },                                                                                     \
          [](std::uint64_t n) {                                                                  \
            for (std::uint64_t i = 0; i < n; ++i) MAXLAT_TRACE(arm, f8, i, i, i, i, i, i, i, i); \
          }                                                                                      \
    }                                                                                            \
  }

namespace maxlat::bench {

std::vector<Arm> maxlat_arms() {
  return {ARM(off, "maxlat, disabled"),
          ARM(thread_discard, "maxlat, thread, discard"),
          ARM(thread_overwrite, "maxlat, thread, overwrite"),
          ARM(thread_wakeup, "maxlat, thread, wakeup"),
          ARM(thread_with_cpu, "maxlat, thread, with the CPU"),
          ARM(cpu_discard, "maxlat, CPU, discard"),
          ARM(cpu_overwrite, "maxlat, CPU, overwrite"),
          ARM(cpu_wakeup, "maxlat, CPU, wakeup"),
          ARM(full, "maxlat, thread, ring full")};
}

}  // namespace maxlat::bench
