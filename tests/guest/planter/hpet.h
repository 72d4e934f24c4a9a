/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * An HPET timer that sends its message to a CPU's local APIC as an SMI or an NMI: at a commanded time, whatever the CPU
 * does and whatever it has masked. QEMU needs -global hpet.msi=on. In exact mode a tick of it is 10 instructions.
 */
#ifndef PLANTER_HPET_H
#define PLANTER_HPET_H

#include <linux/io.h>
#include <asm/smp.h>

#define HPET_BASE 0xfed00000
#define HPET_SIZE 0x400
#define HPET_CONFIG 0x10
#define HPET_COUNTER 0xf0
#define HPET_TIMER 2 /* 0 and 1 belong to the kernel */
#define HPET_TIMER_CONFIG (0x100 + 0x20 * HPET_TIMER)
#define HPET_TIMER_COMPARATOR (HPET_TIMER_CONFIG + 8)
#define HPET_TIMER_MESSAGE (HPET_TIMER_CONFIG + 16)
#define HPET_TIMER_ENABLE 0x4
#define HPET_TIMER_32_BIT 0x100
#define HPET_TIMER_MESSAGE_ENABLE 0x4000
#define HPET_TIMER_MESSAGE_CAPABLE 0x8000
#define HPET_TIMER_LINES (HPET_TIMER_CONFIG + 4) /* a bit each, of those that it can be led to */
#define HPET_TIMER_LINE_SHIFT 9
#define HPET_TIMER_LINE_MASK (0x1f << HPET_TIMER_LINE_SHIFT)
#define HPET_TICK_NS 10

#define DELIVER_SMI (2u << 8)
#define DELIVER_NMI (4u << 8)

static inline u32 hpet_now(void __iomem *hpet)
{
	return readl(hpet + HPET_COUNTER);
}

static inline void hpet_aim(void __iomem *hpet, unsigned int cpu, u32 delivery, u32 at)
{
	const u32 apic_id = per_cpu(x86_cpu_to_apicid, cpu);
	const u32 config = (readl(hpet + HPET_TIMER_CONFIG) & ~HPET_TIMER_ENABLE) | HPET_TIMER_32_BIT | HPET_TIMER_MESSAGE_ENABLE;

	/* Enabled last: with the time of the last message, which has passed, it would send one more at once. */
	writel(config, hpet + HPET_TIMER_CONFIG);
	writel(delivery, hpet + HPET_TIMER_MESSAGE);
	writel(0xfee00000 | (apic_id << 12), hpet + HPET_TIMER_MESSAGE + 4);
	writel(at, hpet + HPET_TIMER_COMPARATOR);
	writel(config | HPET_TIMER_ENABLE, hpet + HPET_TIMER_CONFIG);
}

/* At that time it raises an input of the I/O interrupt controller instead, as an edge. */
static inline void hpet_aim_line(void __iomem *hpet, unsigned int line, u32 at)
{
	const u32 others = HPET_TIMER_ENABLE | HPET_TIMER_MESSAGE_ENABLE | HPET_TIMER_LINE_MASK;
	const u32 config = (readl(hpet + HPET_TIMER_CONFIG) & ~others) | HPET_TIMER_32_BIT | line << HPET_TIMER_LINE_SHIFT;

	writel(config, hpet + HPET_TIMER_CONFIG);
	writel(at, hpet + HPET_TIMER_COMPARATOR);
	writel(config | HPET_TIMER_ENABLE, hpet + HPET_TIMER_CONFIG);
}

/* RETURNS: its registers, or null: it cannot send messages. */
static inline void __iomem *hpet_map(void)
{
	void __iomem *hpet = ioremap(HPET_BASE, HPET_SIZE);

	if (!hpet)
		return NULL;
	if (!(readl(hpet + HPET_TIMER_CONFIG) & HPET_TIMER_MESSAGE_CAPABLE)) {
		iounmap(hpet);
		return NULL;
	}
	writel(readl(hpet + HPET_CONFIG) | 1, hpet + HPET_CONFIG); /* the main counter may have been off */
	return hpet;
}

/* No message comes after this. */
static inline void hpet_stop(void __iomem *hpet)
{
	writel(readl(hpet + HPET_TIMER_CONFIG) & ~HPET_TIMER_ENABLE, hpet + HPET_TIMER_CONFIG);
}

#endif
