// SPDX-License-Identifier: MIT
#include "session/test_declared_twice.hpp"

MAXLAT_TRACE_EVENT(twice, event, (std::uint64_t, a))
MAXLAT_TRACE_EVENT(clash, a_b, (std::uint32_t, a))

void trace_from_other_file() {
  MAXLAT_TRACE(twice, event, 1);
  MAXLAT_TRACE(twice, same, 3);
  MAXLAT_TRACE(clash, a_b, 4);
}
