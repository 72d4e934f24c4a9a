/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* membarrier(2) as the interprocessor interrupt of Desnoyers 2012, Algorithm 6, lines 3 to 5. Contract: promote.h. */
#include <linux/membarrier.h>
#include <maxlat/ring/promote.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool membarrier(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool maxlat_ring_register_for_promotion(void) {
  return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

bool maxlat_ring_promote(void) {
  /* sequentially consistent [M2], two: the reader's loads of commit_seq stay before the call and those of the packet
     after it. Partner: compiler barrier [M1] in commit.h, through the kernel. Shape: asymmetric barrier. Without these,
     the reader's own CPU could load packet bytes before the writer's CPU was made to store them. */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const bool done = membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return done;
}
