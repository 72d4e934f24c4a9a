// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The project's own histogram, compiled for the kernel. (Kbuild has no clean way to name a source of another tree.) */
#include <linux/stddef.h>

#include "../../base/src/histogram.c"
