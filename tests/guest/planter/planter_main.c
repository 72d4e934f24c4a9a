// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Plants stalls of known length at known times, for the guest tests: the positive control of every latency meter.
 * IT TAKES OVER SYSTEM MANAGEMENT MODE. It refuses to load on anything but QEMU's own emulation (TCG).
 *
 *   SMI     An HPET timer in message mode, aimed at a CPU's local APIC with delivery mode SMI: the CPU enters system
 *           management mode at the commanded time, whatever it does and whatever it has masked. The handler is
 *           smm_handler.S. This is what firmware does to a real box, to the tick.
 *   NMI     The same timer with delivery mode NMI; our NMI handler takes the time.
 *   stall   A timer interrupt whose handler takes the time: what a bad driver does. Not firmware, and held off while
 *           interrupts are off.
 *   The others: in each of the kernel's contexts (contexts.c).
 *
 * Commands, one a line, to debugfs maxlat_planter/command (times in ns, from now):
 *
 *   smi FIRST EVERY LENGTH COUNT         a regular series
 *   smi-random SEED SPAN LENGTH COUNT    one in the first half of each COUNTth part of SPAN, so that no two meet
 *   smi-port LENGTH                      at once, through the chipset: port B2h, as firmware services are called
 *   nmi FIRST LENGTH [EVERY COUNT]       each of a series EVERY behind the end of the last one
 *   stall|softirq|irq-work|ipi|irq FIRST EVERY LENGTH COUNT
 *   cpu N                                aims what follows at CPU N (0 until told)
 *
 * maxlat_planter/ledger tells what was really done: "smi|nmi|stall|... <counter when it began> <length ns>" a line.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#if __has_include(<asm/cpuid/api.h>) /* where it is since Linux 6.16 */
#include <asm/cpuid/api.h>
#else
#include <asm/cpuid.h>
#endif
#include <asm/nmi.h>
#include <asm/smp.h>
#include <asm/tsc.h>

#include <maxlat/kernel/kernel_versions.h>
#include "hpet.h"
#include "planter.h"

struct plant {
	u32 at; /* HPET counter */
	u32 ticks;
	u64 began;
};

struct plant_table {
	u32 next;
	u32 count;
	u32 comparator; /* physical address */
	u32 unused;
	struct plant plants[PLANTER_MAX_PLANTS];
};

#define MAX_NOTES 4096

struct note {
	const char *kind;
	u64 began;
	u64 length_ns;
};

extern const u8 planter_smm_begin[], planter_smm_end[];

static void __iomem *hpet;
static struct plant_table *table;
static struct dentry *directory;
static unsigned int target_cpu;
static u64 smi_length_ns;
static struct note notes[MAX_NOTES]; /* of all but SMIs, which are in the table */
static atomic_t note_count;

static atomic_t nmis_expected, nmis_too_many;
static u64 nmi_length_ns, nmi_every_ns;
static struct hrtimer stall_timer;
static u64 stall_length_ns, stall_every_ns;
static unsigned int stalls_left;

static u64 ns_to_ticks(u64 ns)
{
	return mul_u64_u64_div_u64(ns, tsc_khz, 1000000);
}

void planter_take_time(const char *kind, u64 began, u64 length_ns)
{
	const u64 ticks = ns_to_ticks(length_ns);
	const int number = atomic_inc_return(&note_count) - 1;
	u64 taken;

	do
		taken = rdtsc_ordered() - began;
	while (taken < ticks);
	if (number < MAX_NOTES)
		notes[number] = (struct note){kind, began, mul_u64_u64_div_u64(taken, 1000000, tsc_khz)};
}

static int plant_smis(u64 first, u64 every, u64 length, u64 count, bool random, u64 seed)
{
	struct rnd_state state;
	u32 now = hpet_now(hpet);
	u64 i;

	if (count == 0 || count > PLANTER_MAX_PLANTS || ns_to_ticks(length) >= U32_MAX)
		return -EINVAL;
	prandom_seed_state(&state, seed);
	memset(table->plants, 0, sizeof(table->plants));
	for (i = 0; i < count; i++) {
		u64 at = first + i * every;

		if (random)
			at += prandom_u32_state(&state) % (u32)(every / 2);
		table->plants[i].at = now + (u32)div_u64(at, HPET_TICK_NS);
		table->plants[i].ticks = ns_to_ticks(length);
	}
	table->next = 0;
	table->count = count;
	smi_length_ns = length;
	wmb(); /* the handler must find the whole table */
	return 0;
}

/* Through the chipset (q35): the APM control port raises an SMI on the CPU that writes it. */
static void plant_smi_by_port(void)
{
	unsigned long flags;

	local_irq_save(flags);
	outl(0x80000000u | (0x1f << 11) | 0x40, 0xcf8); /* LPC bridge: power management base 600h */
	outl(0x601, 0xcfc);
	outl(0x80000000u | (0x1f << 11) | 0x44, 0xcf8); /* enable it */
	outl(inl(0xcfc) | 0x80, 0xcfc);
	outl(inl(0x630) | 0x21, 0x630); /* SMI_EN: global, APM */
	outb(0x55, 0xb2);
	local_irq_restore(flags);
}

/*
 * A comparator that the counter has passed when it is written waits until that comes round, after 43 s: so does
 * hardware, and QEMU from 9.1 on. A busy host may need longer than the delay until the write. Where it cannot be told
 * whether the NMI is on its way, there may be one too many.
 */
static void aim_nmi(u64 delay_ns)
{
	const u32 delay = div_u64(delay_ns, HPET_TICK_NS);
	int attempt;
	u32 at;

	for (attempt = 0; attempt < 100; ++attempt) {
		at = hpet_now(hpet) + delay;
		hpet_aim(hpet, target_cpu, DELIVER_NMI, at);
		if ((s32)(hpet_now(hpet) - at) < 0)
			return;
		atomic_inc(&nmis_too_many);
	}
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	const u64 began = rdtsc_ordered();
	const u64 next_ns = nmi_length_ns + nmi_every_ns;

	if (atomic_dec_if_positive(&nmis_expected) < 0)
		return atomic_dec_if_positive(&nmis_too_many) < 0 ? NMI_DONE : NMI_HANDLED;
	if (nmi_every_ns && atomic_read(&nmis_expected) > 0)
		aim_nmi(next_ns);
	else
		hpet_stop(hpet); /* else it sends another when its counter comes round, after 43 s */
	planter_take_time("nmi", began, nmi_length_ns);
	return NMI_HANDLED;
}

static enum hrtimer_restart on_stall(struct hrtimer *timer)
{
	const u64 began = rdtsc_ordered();
	const bool again = --stalls_left > 0;

	if (again)
		hrtimer_forward_now(timer, ns_to_ktime(stall_every_ns));
	planter_take_time("stall", began, stall_length_ns);
	return again ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void start_stalls(void *first_ns)
{
	hrtimer_start(&stall_timer, ns_to_ktime(*(u64 *)first_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

static int run_command(const char *line)
{
	u64 a, b, c = 0, d = 1;
	char kind[16];
	int error;

	if (sscanf(line, "cpu %llu", &a) == 1) {
		if (a >= nr_cpu_ids || !cpu_online(a))
			return -EINVAL;
		target_cpu = a;
		return 0;
	}
	if (sscanf(line, "smi-random %llu %llu %llu %llu", &a, &b, &c, &d) == 4) {
		if (d == 0 || div64_u64(b, d) < 2 * c + 2)
			return -EINVAL;
		error = plant_smis(0, div64_u64(b, d), c, d, true, a);
	} else if (sscanf(line, "smi %llu %llu %llu %llu", &a, &b, &c, &d) == 4) {
		error = plant_smis(a, b, c, d, false, 0);
	} else if (sscanf(line, "smi-port %llu", &a) == 1) {
		error = plant_smis(0, 0, a, 1, false, 0);
		if (!error)
			plant_smi_by_port();
		return error;
	} else if (sscanf(line, "nmi %llu %llu %llu %llu", &a, &b, &c, &d) >= 2) {
		nmi_length_ns = b;
		nmi_every_ns = c;
		atomic_add(d, &nmis_expected);
		aim_nmi(a);
		return 0;
	} else if (sscanf(line, "stall %llu %llu %llu %llu", &a, &b, &c, &d) == 4) {
		if (d == 0 || hrtimer_active(&stall_timer))
			return -EINVAL;
		stall_every_ns = b;
		stall_length_ns = c;
		stalls_left = d;
		return smp_call_function_single(target_cpu, start_stalls, &a, true);
	} else if (sscanf(line, "%15s %llu %llu %llu %llu", kind, &a, &b, &c, &d) == 5) {
		const struct planter_series series = { target_cpu, a, b, c, d };

		return planter_plant_context(kind, &series);
	} else {
		return -EINVAL;
	}
	if (!error)
		hpet_aim(hpet, target_cpu, DELIVER_SMI, table->plants[0].at);
	return error;
}

static ssize_t command_write(struct file *file, const char __user *from, size_t length, loff_t *position)
{
	char line[128];
	int error;

	if (length >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, length))
		return -EFAULT;
	line[length] = '\0';
	error = run_command(line);
	return error ? error : length;
}

static const struct file_operations command_operations = {.owner = THIS_MODULE, .write = command_write};

/* A plant that is under way has its place, and is told when it is over. */
static int ledger_show(struct seq_file *file, void *unused)
{
	int i;

	for (i = 0; i < table->next; i++)
		seq_printf(file, "smi %llu %llu\n", table->plants[i].began, smi_length_ns);
	for (i = 0; i < min(atomic_read(&note_count), MAX_NOTES); i++)
		if (notes[i].kind)
			seq_printf(file, "%s %llu %llu\n", notes[i].kind, notes[i].began, notes[i].length_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ledger);

static bool runs_in_qemu_tcg(void)
{
	u32 eax, signature[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	cpuid(0x40000000, &eax, &signature[0], &signature[1], &signature[2]);
	return memcmp(signature, "TCGTCGTCGTCG", sizeof(signature)) == 0;
}

static int take_over_smm(void)
{
	u8 *handler = phys_to_virt(PLANTER_HANDLER);
	const size_t length = planter_smm_end - planter_smm_begin;

	if (memchr_inv(handler, 0, length) && memcmp(handler, planter_smm_begin, length)) {
		pr_err("firmware has put something at %x\n", PLANTER_HANDLER);
		return -EBUSY;
	}
	memcpy(handler, planter_smm_begin, length);
	table = phys_to_virt(PLANTER_TABLE);
	memset(table, 0, sizeof(*table));
	table->comparator = HPET_BASE + HPET_TIMER_COMPARATOR;
	return 0;
}

static int __init planter_init(void)
{
	int error;

	if (!runs_in_qemu_tcg()) {
		pr_err("this is not QEMU's emulation; it takes over system management mode and stays away from real machines\n");
		return -ENODEV;
	}
	hpet = hpet_map();
	if (!hpet) {
		pr_err("no HPET that can send messages (QEMU needs -global hpet.msi=on)\n");
		return -ENODEV;
	}
	error = take_over_smm();
	if (error)
		goto unmap;
	hrtimer_setup(&stall_timer, on_stall, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	error = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "maxlat_planter");
	if (error)
		goto unmap;
	planter_contexts_init(hpet);
	directory = debugfs_create_dir("maxlat_planter", NULL);
	debugfs_create_file("command", 0200, directory, NULL, &command_operations);
	debugfs_create_file("ledger", 0400, directory, NULL, &ledger_fops);
	return 0;
unmap:
	iounmap(hpet);
	return error;
}

static void __exit planter_exit(void)
{
	debugfs_remove_recursive(directory);
	hrtimer_cancel(&stall_timer);
	hpet_stop(hpet);
	planter_contexts_exit();
	unregister_nmi_handler(NMI_LOCAL, "maxlat_planter");
	iounmap(hpet);
}

module_init(planter_init);
module_exit(planter_exit);
MODULE_DESCRIPTION("maxlat: plants SMIs, NMIs and stalls in a QEMU guest, for tests only");
MODULE_AUTHOR("The maxlat authors");
MODULE_LICENSE("Dual MIT/GPL");
