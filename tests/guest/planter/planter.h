/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef MAXLAT_GUEST_PLANTER_H
#define MAXLAT_GUEST_PLANTER_H

#define PLANTER_HANDLER 0x38000 /* SMBASE of a CPU whose firmware never moved it, + 8000h */
#define PLANTER_TABLE 0x39000
#define PLANTER_MAX_PLANTS 250 /* 16 bytes each behind 16 bytes of header: within the table's page */

#ifndef __ASSEMBLER__
#include <linux/types.h>

/* A series that `cpu` is to have: the first in `first` ns, `count` of them, each `length` ns long. */
struct planter_series {
	unsigned int cpu;
	u64 first, every, length, count;
};

/* Takes this CPU's time from `began`, a read of the counter, on, and notes that in the ledger. Any context. */
void planter_take_time(const char *kind, u64 began, u64 length_ns);

/* contexts.c: "softirq", "irq-work", "ipi" or "irq". RETURNS: 0, -EINVAL: none of these, or a series is not over. */
int planter_plant_context(const char *kind, const struct planter_series *series);
void planter_contexts_init(void __iomem *hpet);
void planter_contexts_exit(void);
#endif

#endif
