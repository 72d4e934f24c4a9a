// SPDX-License-Identifier: MIT
// woken_task CPU PRIORITY MILLISECONDS: a real-time task that takes its CPU so long for each byte that comes on its
// standard input. Who writes one wakes it.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)atoi(argv[1]), &one);
  const struct sched_param priority = {.sched_priority = atoi(argv[2])};
  if (sched_setaffinity(0, sizeof one, &one) != 0 || sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
    perror("woken_task");
    return 1;
  }
  const long long length_ns = atoll(argv[3]) * 1000000;
  for (char byte; read(STDIN_FILENO, &byte, 1) == 1;)
    for (const long long begin = now_ns(); now_ns() < begin + length_ns;) continue;
  return 0;
}
