/* SPDX-License-Identifier: MIT */
#include "test_twice.h"

MAXLAT_C_EVENT(twice, event, scalar(uint64_t, a))
MAXLAT_C_EVENT(clash, a_b, scalar(uint32_t, a))

void trace_from_other(void) {
  MAXLAT_C_TRACE(twice, event, 1);
  MAXLAT_C_TRACE(twice, same, 3);
  MAXLAT_C_TRACE(clash, a_b, 4);
}
