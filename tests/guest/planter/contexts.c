// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Plants that take the time in one of the kernel's contexts:
 *
 *   softirq    a tasklet that a timer interrupt of the target raises
 *   irq-work   an interrupt that the target sends itself, in a timer interrupt
 *   ipi        a function that another CPU has the target call, from a timer interrupt there
 *   irq        a device's interrupt: the HPET's timer, led to a line. Each is aimed by the one before
 *
 * One series at a time.
 */
#include <linux/acpi.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/tsc.h>

#include <maxlat/kernel/kernel_versions.h>
#include "hpet.h"
#include "planter.h"

#define LINES 24 /* inputs of the I/O interrupt controller */

static struct planter_series series;
static struct hrtimer timer;
static bool (*plant)(void); /* false: not this time, for the last one is not over */
static atomic_t left; /* of the series */

static void __iomem *hpet;
static unsigned int line = LINES; /* that our device has; LINES: none yet */
static int line_irq;

static void in_tasklet(struct tasklet_struct *unused)
{
	planter_take_time("softirq", rdtsc_ordered(), series.length);
}
static DECLARE_TASKLET(tasklet, in_tasklet);

static void in_irq_work(struct irq_work *unused)
{
	planter_take_time("irq-work", rdtsc_ordered(), series.length);
}
static struct irq_work irq_work = IRQ_WORK_INIT_HARD(in_irq_work);

static void in_ipi(void *unused)
{
	planter_take_time("ipi", rdtsc_ordered(), series.length);
}
static call_single_data_t call = CSD_INIT(in_ipi, NULL);

static bool raise_tasklet(void)
{
	tasklet_schedule(&tasklet);
	return true;
}

static bool queue_irq_work(void)
{
	return irq_work_queue(&irq_work);
}

static bool send_ipi(void)
{
	return smp_call_function_single_async(series.cpu, &call) == 0;
}

static enum hrtimer_restart on_series(struct hrtimer *unused)
{
	if (plant() && atomic_dec_return(&left) == 0)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(&timer, ns_to_ktime(series.every));
	return HRTIMER_RESTART;
}

static irqreturn_t on_line(int irq, void *unused)
{
	const u64 began = rdtsc_ordered();

	if (atomic_dec_return(&left) > 0)
		hpet_aim_line(hpet, line, hpet_now(hpet) + (u32)div_u64(series.every, HPET_TICK_NS));
	planter_take_time("irq", began, series.length);
	return IRQ_HANDLED;
}

/* The first line that nobody has, from above, where the timer can be led to it. */
static int take_line(void)
{
	const u32 possible = readl(hpet + HPET_TIMER_LINES);
	unsigned int candidate;

	for (candidate = LINES - 1; line == LINES && candidate > 0; candidate--) {
		if (!(possible & BIT(candidate)))
			continue;
		line_irq = acpi_register_gsi(NULL, candidate, ACPI_EDGE_SENSITIVE, ACPI_ACTIVE_HIGH);
		if (line_irq <= 0)
			continue;
		if (request_irq(line_irq, on_line, IRQF_NO_THREAD, "maxlat_line", &series) == 0)
			line = candidate;
		else
			acpi_unregister_gsi(candidate);
	}
	return line < LINES ? 0 : -EBUSY;
}

static void start_series(void *unused)
{
	hrtimer_start(&timer, ns_to_ktime(series.first), HRTIMER_MODE_REL_PINNED_HARD);
}

int planter_plant_context(const char *kind, const struct planter_series *wanted)
{
	unsigned int from = wanted->cpu;

	if (wanted->count == 0 || wanted->count > INT_MAX || atomic_read(&left) > 0)
		return -EINVAL;
	plant = NULL;
	if (strcmp(kind, "softirq") == 0)
		plant = raise_tasklet;
	else if (strcmp(kind, "irq-work") == 0)
		plant = queue_irq_work;
	else if (strcmp(kind, "ipi") == 0) {
		plant = send_ipi;
		from = cpumask_any_but(cpu_online_mask, wanted->cpu);
	} else if (strcmp(kind, "irq") != 0)
		return -EINVAL;
	if (from >= nr_cpu_ids)
		return -EINVAL;
	series = *wanted;
	if (!plant) {
		const int error = take_line();

		if (error)
			return error;
		atomic_set(&left, series.count);
		hpet_aim_line(hpet, line, hpet_now(hpet) + (u32)div_u64(series.first, HPET_TICK_NS));
		return 0;
	}
	atomic_set(&left, series.count);
	return smp_call_function_single(from, start_series, NULL, true);
}

void planter_contexts_init(void __iomem *registers)
{
	hpet = registers;
	hrtimer_setup(&timer, on_series, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

/* The HPET is stopped. */
void planter_contexts_exit(void)
{
	hrtimer_cancel(&timer);
	tasklet_kill(&tasklet);
	irq_work_sync(&irq_work);
	if (line < LINES) {
		free_irq(line_irq, &series);
		acpi_unregister_gsi(line);
	}
}
