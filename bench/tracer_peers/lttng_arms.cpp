// SPDX-License-Identifier: MIT
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "arms.hpp"
#include "lttng_events.h"

#define ARM(channel, text)                                                                                         \
  Arm {                                                                                                            \
    text,                                                                                                          \
        {[](std::uint64_t n) {                                                                                     \
           for (std::uint64_t i = 0; i < n; ++i) lttng_ust_tracepoint(peers, channel##_0);                         \
         },                                                                                                        \
         [](std::uint64_t n) {                                                                                     \
           for (std::uint64_t i = 0; i < n; ++i) lttng_ust_tracepoint(peers, channel##_1, i);                      \
         },                                                                                                        \
         [](std::uint64_t n) {                                                                                     \
           for (std::uint64_t i = 0; i < n; ++i) lttng_ust_tracepoint(peers, channel##_3, i, i, i);                \
         },                                                                                                        \
         [](std::uint64_t n) {                                                                                     \
           for (std::uint64_t i = 0; i < n; ++i) lttng_ust_tracepoint(peers, channel##_8, i, i, i, i, i, i, i, i); \
         }},                                                                                                       \
        true                                                                                                       \
  }

namespace maxlat::bench {

std::vector<Arm> lttng_arms() {
  return {ARM(writer, "LTTng-UST, writer wakes"), ARM(timer, "LTTng-UST, --read-timer")};
}

}  // namespace maxlat::bench
