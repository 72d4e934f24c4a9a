// SPDX-License-Identifier: MIT
//
// What lmbench measures of a kernel, by its method: a primitive in a loop, the loop's time by its turns,
// and the median of many loops. In ticks of the counter, which in a guest's exact mode are instructions, those of all
// tasks.
//
//   lmbench_calls PRIMITIVE ROUNDS TURNS    prints the median, in ticks of a turn
//
//   null     getppid()                             read   a byte of /dev/zero
//   open     open() and close() of a file          fault  the first touch of a mapped page, which is in memory
//   fork     fork(), _exit(), wait()               udp    a datagram to another process over loopback, and one back
//   compile  a compiler's run, from fork() to wait(): /tmp/compiler/run, without environment
//
// A page is touched by a read, of a file that is shared. Pages that are not touched stay unmapped only where
// /sys/kernel/debug/fault_around_bytes is a page.
#include <arpa/inet.h>
#include <fcntl.h>
#include <maxlat/base/counter.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPage = 4096, kMostPages = 512, kMostRounds = 1000 };
static const char kFile[] = "/tmp/lmbench_calls.file";

static int file = -1, near_end = -1;
static const volatile char* pages;
static pid_t echo_server = -1;

static void must(int holds, const char* what) {
  if (holds) return;
  perror(what);
  if (echo_server > 0) kill(echo_server, SIGKILL);
  exit(1);
}

static void null_turns(unsigned turns) {
  while (turns-- > 0) syscall(SYS_getppid);
}

static void open_zero(unsigned turns) {
  (void)turns;
  file = open("/dev/zero", O_RDONLY);
  must(file >= 0, "/dev/zero");
}
static void read_turns(unsigned turns) {
  char byte;
  while (turns-- > 0) must(read(file, &byte, 1) == 1, "read");
}

static void make_file(unsigned turns) {
  file = open(kFile, O_RDWR | O_CREAT | O_TRUNC, 0600);
  must(file >= 0, kFile);
  for (unsigned page = 0; page < turns; ++page) {
    static const char content[kPage] = {1};
    must(write(file, content, sizeof content) == (ssize_t)sizeof content, kFile);
  }
}
static void open_turns(unsigned turns) {
  while (turns-- > 0) {
    const int opened = open(kFile, O_RDONLY);
    must(opened >= 0 && close(opened) == 0, kFile);
  }
}

static void map_file(unsigned turns) {
  must(turns <= kMostPages, "too many pages");
  make_file(turns);
  pages = (const volatile char*)mmap(NULL, (size_t)turns * kPage, PROT_READ, MAP_SHARED, file, 0);
  must(pages != MAP_FAILED, "mmap");
}
static void forget_pages(unsigned turns) {
  must(madvise((void*)(uintptr_t)pages, (size_t)turns * kPage, MADV_DONTNEED) == 0, "madvise");
}
static void fault_turns(unsigned turns) {
  for (unsigned page = 0; page < turns; ++page) (void)pages[(size_t)page * kPage];
}

static void fork_turns(unsigned turns) {
  while (turns-- > 0) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    must(child > 0 && waitpid(child, NULL, 0) == child, "fork");
  }
}

static void compile_turns(unsigned turns) {
  while (turns-- > 0) {
    static char program[] = "/tmp/compiler/run";
    char *arguments[] = {program, NULL}, *environment[] = {NULL};
    int status;
    const pid_t child = fork();
    if (child == 0) _exit(execve(program, arguments, environment) != 0);
    must(child > 0 && waitpid(child, &status, 0) == child && status == 0, program);
  }
}

static int socket_of_loopback(struct sockaddr_in* address) {
  socklen_t size = sizeof *address;
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int made = socket(AF_INET, SOCK_DGRAM, 0);
  must(made >= 0 && bind(made, (struct sockaddr*)address, size) == 0, "a socket of 127.0.0.1");
  must(getsockname(made, (struct sockaddr*)address, &size) == 0, "getsockname");
  return made;
}
static void connect_to(int from, const struct sockaddr_in* to) {
  must(connect(from, (const struct sockaddr*)to, sizeof *to) == 0, "connect");
}
static void start_server(unsigned turns) {
  (void)turns;
  struct sockaddr_in near_address, far_address;
  near_end = socket_of_loopback(&near_address);
  const int far_end = socket_of_loopback(&far_address);
  connect_to(near_end, &far_address);
  connect_to(far_end, &near_address);
  echo_server = fork();
  must(echo_server >= 0, "fork");
  for (char byte; echo_server == 0;)
    if (recv(far_end, &byte, 1, 0) != 1 || send(far_end, &byte, 1, 0) != 1) _exit(1);
}
static void udp_turns(unsigned turns) {
  char byte = 0;
  while (turns-- > 0) must(send(near_end, &byte, 1, 0) == 1 && recv(near_end, &byte, 1, 0) == 1, "a datagram");
}

static void nothing(unsigned turns) {
  (void)turns;
}

static const struct {
  const char* name;
  void (*begin)(unsigned turns);
  void (*before_round)(unsigned turns);
  void (*run)(unsigned turns);
} kPrimitives[] = {
    {"null", nothing, nothing, null_turns},       {"read", open_zero, nothing, read_turns},
    {"open", make_file, nothing, open_turns},     {"fault", map_file, forget_pages, fault_turns},
    {"fork", nothing, nothing, fork_turns},       {"udp", start_server, nothing, udp_turns},
    {"compile", nothing, nothing, compile_turns},
};

static int ascending(const void* a, const void* b) {
  const uint64_t one = *(const uint64_t*)a, other = *(const uint64_t*)b;
  return one < other ? -1 : one > other;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc == 4 ? (unsigned)atoi(argv[2]) : 0, turns = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
  size_t which = 0;
  const size_t all = sizeof kPrimitives / sizeof kPrimitives[0];
  while (argc == 4 && which < all && strcmp(kPrimitives[which].name, argv[1]) != 0) ++which;
  if (rounds == 0 || rounds > kMostRounds || turns == 0 || which == all) {
    fprintf(stderr, "usage: lmbench_calls null|read|open|fault|fork|udp|compile ROUNDS TURNS\n");
    return 1;
  }
  static uint64_t ticks[kMostRounds];
  kPrimitives[which].begin(turns);
  for (unsigned round = 0; round <= rounds; ++round) {  // the first is not counted: it warms up
    kPrimitives[which].before_round(turns);
    const uint64_t begin = maxlat_counter_fenced();
    kPrimitives[which].run(turns);
    ticks[round > 0 ? round - 1 : 0] = maxlat_counter_fenced() - begin;
  }
  if (echo_server > 0) kill(echo_server, SIGKILL);
  qsort(ticks, rounds, sizeof ticks[0], ascending);
  printf("%.2f\n", (double)ticks[rounds / 2] / turns);
  return 0;
}
