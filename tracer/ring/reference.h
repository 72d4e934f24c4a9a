/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The tagged reference of a place in the ring (Desnoyers 2012, section 4.3.2): which sub-buffer of the memory stands
 * there, who may touch it, and for which packet. Only overwrite mode needs it; in discard mode place i is always
 * sub-buffer i.
 *
 *      63                              18   17      16       15        0
 *      +---------------------------------+-------+--------+-------------+
 *      | tag: packet number              | taken | writer | sub-buffer  |
 *      +---------------------------------+-------+--------+-------------+
 *
 *   writer  writers hold the sub-buffer for packet `tag`: set by each of them before it touches a byte, cleared by the
 *           one that delivers, before it publishes commit_seq
 *   taken   the reader has packet `tag`; what stands here now is the spare it gave in exchange
 *   tag     not in Desnoyers 2009, which has the flag alone. Without it the reader's exchange can take a later pass
 *           than the one it asked commit_seq about, and hand in a spare that counts as committed (model/ring.pml,
 *           M_NO_TAG)
 *
 *   state                         word                     who moves it on
 *   delivered, not read           {tag p, -, -}            reader: exchange -> taken;  writer of pass p + n -> writer
 *   taken                         {tag p, taken, -}        writer of pass p + n -> writer
 *   being written                 {tag p, -, writer}       the delivering writer -> delivered
 *
 * Tag and flag move together in one word. A model in which writers moved the tag but never set the flag also passed (15
 * million states): the tag alone keeps the reader out. The flag stays because it costs nothing and says, to whoever
 * looks at a dead ring, which sub-buffers were being written.
 *
 * The last transition is a plain store: while `writer` is set the reader's exchange fails, and all writers of the
 * packet have set what they find set. So the retries of claim are bounded: one for the reader's exchange, one for each
 * nested context that set the word first.
 */
#ifndef MAXLAT_RING_REFERENCE_H
#define MAXLAT_RING_REFERENCE_H

#include <maxlat/ring/layout.h>

#define MAXLAT_RING_REF_INDEX 0xffffull
#define MAXLAT_RING_REF_WRITER (1ull << 16)
#define MAXLAT_RING_REF_TAKEN (1ull << 17)
#define MAXLAT_RING_REF_TAG_SHIFT 18

MAXLAT_RING_INLINE uint64_t maxlat_ring_ref(uint64_t sub_buffer, uint64_t flags, uint64_t packet) {
  return sub_buffer | flags | packet << MAXLAT_RING_REF_TAG_SHIFT;
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_ref_sub_buffer(uint64_t word) {
  return word & MAXLAT_RING_REF_INDEX;
}

/* All of the word but the index: equal to maxlat_ring_ref(0, flags, packet) in exactly that state. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_ref_state(uint64_t word) {
  return word & ~MAXLAT_RING_REF_INDEX;
}

#endif
