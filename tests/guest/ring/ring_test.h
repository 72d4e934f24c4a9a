/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The tests of the module, one file each, and what runs them (ring_main.c). */
#ifndef RING_TEST_H
#define RING_TEST_H

/* RETURNS, each: 0, or a negative error; what was wrong is in the kernel's log. THREADS: one at a time. */
int ring_test_trials(void);       /* ring_trials.c */
int ring_test_nmi_walk(void);     /* ring_nmi_walk.c: needs exact mode */
int ring_test_costs(void);        /* ring_costs.c: needs exact mode */
void ring_measure_irq_off(const char *name); /* ring_irq_off.c, of ring_test_costs() */
int ring_test_primitives(void);   /* ring_primitives.c: needs exact mode */
int ring_test_tracepoint(void);   /* ring_costs.c: the test's tracepoint with what is attached to it now */
int ring_test_own_probe(void);    /* ring_costs.c: the same, with a probe of ours */
int ring_test_trace_costs(void);  /* ring_trace_costs.c: the probes of maxlat_trace, of whose sessions one runs */
int ring_test_wake_up(void);      /* ring_trace_costs.c */

/* ring_device.c */
int ring_device_start(void);
void ring_device_stop(void);

#endif
