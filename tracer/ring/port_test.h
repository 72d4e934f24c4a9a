/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ring under a deterministic scheduler: every access to a shared word is preceded by a call of
 * maxlat_ring_test_step(), in which a test runs whatever it likes before the access happens: a nested writer, the
 * reader, another writer. One thread, so the accesses themselves are plain. Contract: port.h.
 */
#ifndef MAXLAT_RING_PORT_TEST_H
#define MAXLAT_RING_PORT_TEST_H

#ifdef __cplusplus
extern "C" {
#endif
void maxlat_ring_test_step(void);
uint64_t maxlat_ring_test_clock(bool ordered);
#ifdef __cplusplus
}
#endif

MAXLAT_RING_INLINE uint64_t maxlat_ring_load(const uint64_t* word) {
  maxlat_ring_test_step();
  return *(const volatile uint64_t*)word;
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_load_acquire(const uint64_t* word) {
  return maxlat_ring_load(word);
}
MAXLAT_RING_INLINE void maxlat_ring_store(uint64_t* word, uint64_t value) {
  maxlat_ring_test_step();
  *(volatile uint64_t*)word = value;
}
MAXLAT_RING_INLINE void maxlat_ring_store_release(uint64_t* word, uint64_t value) {
  maxlat_ring_store(word, value);
}

MAXLAT_RING_INLINE void maxlat_ring_store_fence(void) {}

MAXLAT_RING_INLINE bool maxlat_ring_shared_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  maxlat_ring_test_step();
  if (*(volatile uint64_t*)word != expected) return false;
  *(volatile uint64_t*)word = desired;
  return true;
}
MAXLAT_RING_INLINE bool maxlat_ring_owner_cas(enum maxlat_ring_ownership ownership, uint64_t* word, uint64_t expected,
                                              uint64_t desired) {
  (void)ownership; /* the scheduler decides who is concurrent with whom */
  return maxlat_ring_shared_cas(word, expected, desired);
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_owner_add(enum maxlat_ring_ownership ownership, uint64_t* word,
                                                  uint64_t amount) {
  (void)ownership;
  maxlat_ring_test_step();
  const uint64_t after = *(const volatile uint64_t*)word + amount;
  *(volatile uint64_t*)word = after;
  return after;
}

MAXLAT_RING_INLINE uint64_t maxlat_ring_clock(void) {
  maxlat_ring_test_step();
  return maxlat_ring_test_clock(false);
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_clock_ordered(void) {
  maxlat_ring_test_step();
  return maxlat_ring_test_clock(true);
}
MAXLAT_RING_INLINE bool maxlat_ring_clock_follows(enum maxlat_ring_ownership ownership, struct maxlat_ring_cpu cpu,
                                                  const uint64_t* word, uint64_t* time) {
  *time = maxlat_ring_clock();
  if ((*time ^ maxlat_ring_load_acquire(word)) >> MAXLAT_RING_TIME_BITS != 0) return false;
  return ownership == MAXLAT_RING_THREAD || *cpu.now == cpu.chosen;
}

#endif
