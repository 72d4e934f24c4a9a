// SPDX-License-Identifier: MIT
//
// Where every thread but the kernel's may run while somebody measures in a shield, until the run has ended. A look by a
// shell takes longer than a phase where the host is busy.
//
//   threads_while_measured SHIELD PID    prints "NAME CPUS" of each again and again until PID ends; SHIELD is a cgroup
//
// A look at a process at whose begin or end nobody measured says nothing: it may lie behind the run, when all is as it
// was. The kernel's threads, ten times as many as others, are found once.
#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kRestMs = 20, kMostProcesses = 1 << 16 };
static bool is_the_kernels[kMostProcesses];  // by number

static bool measured_in(const char* shield) {
  char path[256];
  snprintf(path, sizeof path, "%s/cgroup.threads", shield);
  FILE* threads = fopen(path, "r");
  if (threads == NULL) return false;
  const bool anybody = fgetc(threads) != EOF;
  fclose(threads);
  return anybody;
}

// RETURNS: whether it has memory of its own, as no thread of the kernel has. False: it has ended, too.
static bool print_thread(const char* process, const char* thread, FILE* out) {
  char path[600], line[1024], name[32] = "", cpus[256] = "";
  bool has_memory = false;
  snprintf(path, sizeof path, "/proc/%s/task/%s/status", process, thread);
  FILE* status = fopen(path, "r");
  if (status == NULL) return false;
  while (fgets(line, sizeof line, status) != NULL) {
    sscanf(line, "Name: %31s", name);
    sscanf(line, "Cpus_allowed_list: %255s", cpus);
    if (strncmp(line, "VmSize:", 7) == 0) has_memory = true;
  }
  fclose(status);
  if (has_memory) fprintf(out, "%s %s\n", name, cpus);
  return has_memory;
}

static bool is_number(const struct dirent* entry) { return entry->d_name[0] >= '0' && entry->d_name[0] <= '9'; }

static DIR* opened(const char* path) {
  DIR* directory = opendir(path);
  if (directory == NULL && strcmp(path, "/proc") == 0) {
    perror(path);
    exit(1);
  }
  return directory;  // NULL: a process that has ended
}

static void print_threads_of(const char* process, FILE* out) {
  char path[300];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR* tasks = opened(path);
  if (tasks == NULL) return;
  for (const struct dirent* task; (task = readdir(tasks)) != NULL;)
    if (is_number(task)) print_thread(process, task->d_name, out);
  closedir(tasks);
}

static void find_the_kernels(void) {
  FILE* nobody = fopen("/dev/null", "w");
  DIR* processes = opened("/proc");
  for (const struct dirent* process; (process = readdir(processes)) != NULL;)
    if (is_number(process))
      is_the_kernels[atoi(process->d_name) % kMostProcesses] = !print_thread(process->d_name, process->d_name, nobody);
  closedir(processes);
  fclose(nobody);
}

static void print_all(const char* shield) {
  DIR* processes = opened("/proc");
  bool measured = measured_in(shield);
  for (const struct dirent* process; measured && (process = readdir(processes)) != NULL;) {
    if (!is_number(process) || is_the_kernels[atoi(process->d_name) % kMostProcesses]) continue;
    char* look = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&look, &length);
    print_threads_of(process->d_name, out);
    fclose(out);
    measured = measured_in(shield);
    if (measured) fputs(look, stdout);
    free(look);
  }
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
  find_the_kernels();
  while (poll(&run, 1, kRestMs) == 0) print_all(argv[1]);
  return 0;
}
