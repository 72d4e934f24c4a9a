// SPDX-License-Identifier: MIT
//
// How many pages of a process's own memory (writable, private, of no file) lie on each of two NUMA nodes, by
// move_pages(2), which moves nothing when it is given no nodes.
//
//   process_nodes PID    prints "0 PAGES 1 PAGES"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kAtOnce = 512, kNodes = 2 };
static unsigned long pages_of[kNodes];

static void count(int pid, uintptr_t begin, uintptr_t end, long page) {
  while (begin < end) {
    void* pages[kAtOnce];
    int status[kAtOnce];
    unsigned long many = 0;
    for (; many < kAtOnce && begin < end; begin += (uintptr_t)page) pages[many++] = (void*)begin;
    if (syscall(SYS_move_pages, pid, many, pages, NULL, status, 0) < 0) {
      perror("move_pages");
      exit(1);
    }
    for (unsigned long i = 0; i < many; ++i)
      if (status[i] >= 0 && status[i] < kNodes) ++pages_of[status[i]];  // below 0: not there
  }
}

int main(int argc, char** argv) {
  const int pid = argc == 2 ? atoi(argv[1]) : 0;
  if (pid <= 0) {
    fprintf(stderr, "usage: process_nodes PID\n");
    return 1;
  }
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE* maps = fopen(path, "r");
  if (maps == NULL) {
    perror(path);
    return 1;
  }
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end, inode;
    char rights[8];
    if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &begin, &end, rights, &inode) != 4) continue;
    if (rights[1] == 'w' && rights[3] == 'p' && inode == 0) count(pid, begin, end, sysconf(_SC_PAGESIZE));
  }
  fclose(maps);
  printf("0 %lu 1 %lu\n", pages_of[0], pages_of[1]);
  return 0;
}
