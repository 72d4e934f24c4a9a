/* SPDX-License-Identifier: MIT */
#ifndef MAXLAT_TRACE_TWICE_H
#define MAXLAT_TRACE_TWICE_H

#include <maxlat/trace.h>

MAXLAT_C_EVENT(twice, same, scalar(uint32_t, a))

void trace_from_other(void);

#endif
