// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: rings.h. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "rings.h"
#include "session.h"

void trace_rings_free(struct trace_ring **rings)
{
	unsigned int cpu;

	if (!rings)
		return;
	for_each_possible_cpu(cpu) {
		if (rings[cpu])
			vfree(rings[cpu]->memory);
		kfree(rings[cpu]);
	}
	kfree(rings);
}

static int make_ring(struct trace_ring **where, unsigned int cpu, u64 bytes, const struct maxlat_ring_options *options)
{
	struct trace_ring *ring = kzalloc_node(sizeof(*ring), GFP_KERNEL, cpu_to_node(cpu));

	*where = ring;
	if (!ring)
		return -ENOMEM;
	ring->memory = vmalloc_user(bytes);
	if (!ring->memory)
		return -ENOMEM;
	if (!maxlat_ring_create(&ring->ring, ring->memory, bytes, options) ||
	    !maxlat_ring_reader_start(&ring->reader, &ring->ring))
		return -EINVAL;
	return 0;
}

/* So that a wrong number in a request does not make the kernel end other programs for their memory. */
static bool is_too_much(u64 bytes, unsigned int rings)
{
	const u64 free_pages = max(si_mem_available(), 0l);

	return (bytes >> PAGE_SHIFT) * rings > free_pages / 2;
}

struct trace_ring **trace_rings_make(const struct maxlat_trace_start *request, const struct cpumask *cpus,
				     u64 *ring_bytes)
{
	struct maxlat_ring_options options = {
		.features = request->overwrite ? MAXLAT_RING_OVERWRITE : 0,
		.sub_buffer_bits = request->sub_buffer_bits,
		.ring_bits = request->ring_bits,
	};
	const u64 bytes = PAGE_ALIGN(maxlat_ring_size(&options));
	struct trace_ring **rings;
	unsigned int cpu;

	if (bytes == 0)
		return ERR_PTR(-EINVAL);
	if (is_too_much(bytes, cpumask_weight(cpus)))
		return ERR_PTR(-ENOMEM);
	rings = kcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return ERR_PTR(-ENOMEM);
	for_each_cpu(cpu, cpus) {
		int error;

		options.owner = cpu;
		error = make_ring(&rings[cpu], cpu, bytes, &options);
		if (error) {
			trace_rings_free(rings);
			return ERR_PTR(error);
		}
	}
	*ring_bytes = bytes;
	return rings;
}
