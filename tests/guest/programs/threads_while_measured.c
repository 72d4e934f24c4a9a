// SPDX-License-Identifier: MIT
//
// Where every thread but the kernel's may run while somebody measures in a shield, until the run has ended. A look by a
// shell takes longer than a phase where the host is busy.
//
//   threads_while_measured SHIELD PID    prints "NAME CPUS" of each again and again until PID ends; SHIELD is a cgroup
//
// A look at whose begin or end nobody measured says nothing: it may lie behind the run, when all is as it was.
#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kRestMs = 20 };

static bool measured_in(const char* shield) {
  char path[256];
  snprintf(path, sizeof path, "%s/cgroup.threads", shield);
  FILE* threads = fopen(path, "r");
  if (threads == NULL) return false;
  const bool anybody = fgetc(threads) != EOF;
  fclose(threads);
  return anybody;
}

static void print_thread(const char* process, const char* thread, FILE* out) {
  char path[600], line[1024], name[32] = "", cpus[256] = "";
  bool is_the_kernels = true;
  snprintf(path, sizeof path, "/proc/%s/task/%s/status", process, thread);
  FILE* status = fopen(path, "r");
  if (status == NULL) return;  // it has ended
  while (fgets(line, sizeof line, status) != NULL) {
    sscanf(line, "Name: %31s", name);
    sscanf(line, "Cpus_allowed_list: %255s", cpus);
    if (strncmp(line, "VmSize:", 7) == 0) is_the_kernels = false;
  }
  fclose(status);
  if (!is_the_kernels) fprintf(out, "%s %s\n", name, cpus);
}

static bool is_number(const struct dirent* entry) { return entry->d_name[0] >= '0' && entry->d_name[0] <= '9'; }

static void print_threads_of(const char* process, FILE* out) {
  char path[300];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR* tasks = opendir(path);
  if (tasks == NULL) return;  // it has ended
  for (const struct dirent* task; (task = readdir(tasks)) != NULL;)
    if (is_number(task)) print_thread(process, task->d_name, out);
  closedir(tasks);
}

static void print_all(FILE* out) {
  DIR* processes = opendir("/proc");
  if (processes == NULL) {
    perror("/proc");
    exit(1);
  }
  for (const struct dirent* process; (process = readdir(processes)) != NULL;)
    if (is_number(process)) print_threads_of(process->d_name, out);
  closedir(processes);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: threads_while_measured SHIELD PID\n");
    return 1;
  }
  struct pollfd run = {.fd = (int)syscall(SYS_pidfd_open, atoi(argv[2]), 0), .events = POLLIN};
  if (run.fd < 0) {
    perror("pidfd_open");
    return 1;
  }
  while (poll(&run, 1, kRestMs) == 0) {
    if (!measured_in(argv[1])) continue;
    char* look = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&look, &length);
    print_all(out);
    fclose(out);
    if (measured_in(argv[1])) fputs(look, stdout);
    free(look);
  }
  return 0;
}
