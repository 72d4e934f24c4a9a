/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Read-modify-write without the lock prefix, and the look at the clock, on x86-64: atomic with respect to what
 * interrupts this context on its CPU, signal handlers in user space, interrupts and NMIs in the kernel, and to
 * nothing else. These are the "local atomic operations" of Desnoyers 2012, section 4.1, for both worlds
 * (port_user_thread.h, port_kernel.h).
 *
 * By hand, because the result is a flag, and what the compiler or local_cmpxchg() gives is a value that it then
 * compares. The stores are ordered by the processor (total store order), so the "memory" clobber is all a reader on
 * another CPU needs.
 *
 * COST on a 2.6 GHz EPYC guest: xadd 0.7 cycles against 4.4 with lock; cmpxchg 6.1 either way.
 */
#ifndef MAXLAT_RING_PORT_X86_H
#define MAXLAT_RING_PORT_X86_H

MAXLAT_RING_INLINE bool maxlat_ring_x86_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  bool failed; /* not `done`: the compiler would keep that as somebody's return value, in a register to be saved */
  __asm__ volatile("cmpxchgq %[desired], %[word]"
                   : "=@ccnz"(failed), [word] "+m"(*word), "+a"(expected)
                   : [desired] "r"(desired)
                   : "memory");
  return !failed;
}

MAXLAT_RING_INLINE uint64_t maxlat_ring_x86_add(uint64_t* word, uint64_t amount) {
  uint64_t before = amount;
  __asm__ volatile("xaddq %[before], %[word]" : [before] "+r"(before), [word] "+m"(*word) : : "memory", "cc");
  return before + amount;
}

/* The counter gives two halves. The upper one is compared where it is, the lower one is all that a short record needs,
 * and nobody puts them together. REQUIRES: MAXLAT_RING_TIME_BITS is 32. */
MAXLAT_RING_INLINE bool maxlat_ring_x86_clock_follows(const uint64_t* word, uint64_t* time) {
  const uint32_t* const upper_word = (const uint32_t*)(const void*)word + 1;
  bool differs;
  uint32_t lower, upper;
  __asm__ volatile("rdtsc\n\tcmpl %[upper_word], %%edx"
                   : "=@ccne"(differs), "=&a"(lower), "=&d"(upper)
                   : [upper_word] "m"(*upper_word)
                   : "memory");
  *time = lower;
  return !differs;
}

#endif
