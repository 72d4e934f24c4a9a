/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the machine itself counts, and the only file that knows the processor.
 *
 * SMIs: Intel counts them in MSR 0x34 (MSR_SMI_COUNT) since Nehalem. AMD and most hypervisors have no such register, so
 * every access is a safe one, and a machine that refuses once is not asked again.
 * NMIs: the kernel counts them per CPU for /proc/interrupts; reading that word costs nothing and needs no handler.
 * Both exist on x86 only. Elsewhere the counts are 0 and INFO says so.
 */
#ifndef MAXLAT_KERNEL_COUNTS_H
#define MAXLAT_KERNEL_COUNTS_H

#include <linux/types.h>
#include <linux/version.h>

#ifdef CONFIG_X86_64
#include <asm/hardirq.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#define MAXLAT_MSR_SMI_COUNT 0x34

static inline bool hwlat_read_smi_count(u64 *count)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return rdmsrq_safe(MAXLAT_MSR_SMI_COUNT, count) == 0;
#else
	unsigned long long value;

	if (rdmsrl_safe(MAXLAT_MSR_SMI_COUNT, &value))
		return false;
	*count = value;
	return true;
#endif
}

static inline u32 hwlat_nmi_count(void)
{
#ifdef MAXLAT_IRQ_STAT_IS_AN_ARRAY
	return this_cpu_read(irq_stat.counts[IRQ_COUNT_NMI]);
#else
	return this_cpu_read(irq_stat.__nmi_count);
#endif
}

static inline bool hwlat_counts_nmi(void)
{
	return true;
}

static inline u64 hwlat_counter_khz(void)
{
	return tsc_khz;
}

static inline bool hwlat_counter_constant(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && !check_tsc_unstable();
}

#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>

static inline bool hwlat_read_smi_count(u64 *count)
{
	return false;
}

static inline u32 hwlat_nmi_count(void)
{
	return 0;
}

static inline bool hwlat_counts_nmi(void)
{
	return false;
}

static inline u64 hwlat_counter_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

static inline bool hwlat_counter_constant(void)
{
	return true; /* by architecture */
}

#else
#error "maxlat_hwlat knows x86-64 and arm64 only"
#endif
#endif
