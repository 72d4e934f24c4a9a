// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The project's own histogram, as in hwlat_histogram.c: an object may belong to one module only. */
#include <linux/stddef.h>

#include "../../base/src/histogram.c"
