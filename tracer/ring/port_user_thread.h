/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Read-modify-write of a word that one thread owns: atomic with respect to that thread's signal handlers, and to
 * nothing else.
 *
 * On x86 a signal is delivered between instructions: port_x86.h. Elsewhere, and under ThreadSanitizer (which cannot see
 * into asm), the compiler's atomics are used with release order.
 */
#ifndef MAXLAT_RING_PORT_USER_THREAD_H
#define MAXLAT_RING_PORT_USER_THREAD_H

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MAXLAT_RING_THREAD_BUILTINS 1
#endif
#endif
#else
#define MAXLAT_RING_THREAD_BUILTINS 1
#endif

#ifndef MAXLAT_RING_THREAD_BUILTINS
#include <maxlat/ring/port_x86.h>

MAXLAT_RING_INLINE bool maxlat_ring_thread_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  return maxlat_ring_x86_cas(word, expected, desired);
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_thread_add(uint64_t* word, uint64_t amount) {
  return maxlat_ring_x86_add(word, amount);
}
#else
/* release [W1]: see commit.h. Partner: acquire [O1] in open_packet.c. Shape: publish. */
MAXLAT_RING_INLINE bool maxlat_ring_thread_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_thread_add(uint64_t* word, uint64_t amount) {
  return __atomic_add_fetch(word, amount, __ATOMIC_ACQ_REL);
}
#endif

#endif
