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

#include <maxlat/kernel/kernel_versions.h>

/**
 * maxlat_read_smi_count() - reads how many SMIs this CPU has had
 * @count: receives the count; untouched where there is none
 *
 * Return: whether the processor counts them.
 */
static inline bool maxlat_read_smi_count(u64 *count);

/**
 * maxlat_smi_count_untraced() - the same, and calls nothing that can be traced
 *
 * REQUIRES: maxlat_read_smi_count() found that the processor counts them. Where this CPU refuses all the same, the
 * count is 0.
 *
 * Return: the count.
 */
static __always_inline u64 maxlat_smi_count_untraced(void);

/**
 * maxlat_nmi_count() - how many NMIs this CPU has had
 *
 * Return: the count; it wraps. 0 where maxlat_counts_nmi() says no.
 */
static inline u32 maxlat_nmi_count(void);

/**
 * maxlat_counts_nmi() - whether maxlat_nmi_count() counts
 *
 * Return: true on x86.
 */
static inline bool maxlat_counts_nmi(void);

/**
 * maxlat_counter_khz() - rate of the counter that base/counter.h reads
 *
 * Return: ticks in a millisecond; 0 where the kernel does not know.
 */
static inline u64 maxlat_counter_khz(void);

/**
 * maxlat_counter_constant() - whether that rate never changes
 *
 * Return: what the processor promises and the kernel has not refuted.
 */
static inline bool maxlat_counter_constant(void);

#ifdef CONFIG_X86_64
#include <asm/asm.h>
#include <asm/tsc.h>

#define MAXLAT_MSR_SMI_COUNT 0x34

static inline bool maxlat_read_smi_count(u64 *count)
{
	u64 value;

	if (rdmsrq_safe(MAXLAT_MSR_SMI_COUNT, &value))
		return false;
	*count = value;
	return true;
}

static __always_inline u64 maxlat_smi_count_untraced(void)
{
	u32 low = 0, high = 0;

	asm volatile("1: rdmsr\n2:\n" _ASM_EXTABLE(1b, 2b) : "+a"(low), "+d"(high) : "c"(MAXLAT_MSR_SMI_COUNT));
	return low | (u64)high << 32;
}

static inline u32 maxlat_nmi_count(void)
{
	return maxlat_kernel_nmi_count();
}

static inline bool maxlat_counts_nmi(void)
{
	return true;
}

static inline u64 maxlat_counter_khz(void)
{
	return tsc_khz;
}

static inline bool maxlat_counter_constant(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && !check_tsc_unstable();
}

#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>

static inline bool maxlat_read_smi_count(u64 *count)
{
	return false;
}

static __always_inline u64 maxlat_smi_count_untraced(void)
{
	return 0;
}

static inline u32 maxlat_nmi_count(void)
{
	return 0;
}

static inline bool maxlat_counts_nmi(void)
{
	return false;
}

static inline u64 maxlat_counter_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

static inline bool maxlat_counter_constant(void)
{
	return true; /* by architecture */
}

#else
#error "maxlat's modules know x86-64 and arm64 only"
#endif
#endif
