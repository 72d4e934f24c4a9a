/* SPDX-License-Identifier: MIT */
/*
 * What a task may do, and what happens to it, when maxlat_irqoff has granted it IOPL 3. Each case runs in a child; the
 * parent prints how the child ended: "CASE exit N" or "CASE signal N". A case checks itself and exits with 0, or with
 * the number of the line that found something wrong.
 *
 *   irqoff_probe CPU CASE...
 *
 * Memory is locked: from Linux 6.9 on, a page fault with interrupts off ends the task (irqoff_abi.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <maxlat/base/counter.h>
#include <maxlat/base/histogram.h>
#include <maxlat/npt/irqoff_abi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) _exit(__LINE__ & 0x7f ? __LINE__ & 0x7f : 1); \
  } while (0)

static unsigned the_cpu;

static unsigned long flags_now(void) {
  unsigned long flags;
  __asm__ volatile("pushfq; popq %0" : "=r"(flags));
  return flags;
}
static int interrupts_on(void) {
  return (flags_now() >> 9) & 1;
}
static void cli(void) {
  __asm__ volatile("cli" ::: "memory");
}
static void sti(void) {
  __asm__ volatile("sti" ::: "memory");
}

static void bind_to(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

static int grant(uint64_t limit_ns) {
  const struct maxlat_irqoff_grant request = {.size = sizeof request, .limit_ns = limit_ns};
  const int device = open(MAXLAT_IRQOFF_DEVICE, O_RDWR | O_CLOEXEC);
  CHECK(device >= 0);
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_GRANT, &request) == 0);
  return device;
}

static void spin_ns(uint64_t ns) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((uint64_t)(now.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec - (uint64_t)from.tv_nsec < ns);
}

/* The largest gap of `ns` of loop: what an interrupt would make in it. */
static uint64_t largest_gap(uint64_t ticks) {
  uint64_t last = maxlat_counter_fenced(), largest = 0;
  const uint64_t end = last + ticks;
  while (last < end) {
    const uint64_t now = maxlat_counter_fenced();
    if (now - last > largest) largest = now - last;
    last = now;
  }
  return largest;
}

static void case_without(void) {
  cli();
}

static void case_cli_sti(void) {
  grant(1000000000);
  CHECK(interrupts_on());
  cli();
  CHECK(!interrupts_on());
  sti();
  CHECK(interrupts_on());
}

static void case_close(void) {
  close(grant(1000000000));
  cli();
}

static void case_revoke(void) {
  const int device = grant(1000000000);
  cli();
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_REVOKE) == 0);
  CHECK(interrupts_on());
  cli();
}

static void case_fork(void) {
  int status;
  pid_t child;
  grant(1000000000);
  child = fork(); /* with interrupts on: each page that the parent writes after it is a page fault */
  if (child == 0) {
    cli();
    _exit(0);
  }
  memset(&status, 0, sizeof status);
  cli();
  CHECK(!interrupts_on()); /* the parent keeps what it has */
  sti();
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void* thread_tries(void* outcome) {
  *(int*)outcome = interrupts_on() ? 1 : 2;
  return NULL;
}

static void case_thread(void) {
  pthread_t thread;
  int outcome = 0;
  grant(1000000000);
  cli();
  CHECK(pthread_create(&thread, NULL, thread_tries, &outcome) == 0);
  pthread_join(thread, NULL);
  CHECK(outcome == 1);
  sti();
}

static void case_exec(void) {
  char cpu[16];
  grant(1000000000);
  snprintf(cpu, sizeof cpu, "%u", the_cpu);
  execl("/proc/self/exe", "irqoff_probe", cpu, "exec-without", NULL);
  CHECK(0);
}

static void case_system_calls(void) {
  struct timespec little = {0, 1000000};
  char* fresh;
  grant(1000000000);
  cli();
  getppid();
  CHECK(!interrupts_on());
  fresh = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(fresh, 1, 65536); /* of locked memory: no page fault */
  CHECK(!interrupts_on());
  sched_yield();
  nanosleep(&little, NULL);
  CHECK(!interrupts_on());
  sti();
}

static void case_page_fault(void) {
  char* fresh;
  CHECK(munlockall() == 0);
  fresh = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  grant(1000000000);
  cli();
  *(volatile char*)fresh = 1;
  CHECK(!interrupts_on());
  sti();
}

static volatile sig_atomic_t handled;
static void on_signal(int number) {
  (void)number;
  handled = 1;
}

static void case_signal(void) {
  signal(SIGUSR1, on_signal);
  grant(1000000000);
  cli();
  raise(SIGUSR1);
  CHECK(handled);
  CHECK(!interrupts_on());
  sti();
}

static void case_migrate(void) {
  grant(1000000000);
  cli();
  bind_to(the_cpu == 0 ? 1 : 0);
  CHECK(interrupts_on());
  cli();
}

static volatile int* volatile nowhere;
static void case_crash(void) {
  grant(1000000000);
  cli();
  *nowhere = 1;
}

static void case_exit_off(void) {
  grant(1000000000);
  cli();
}

static void case_watchdog(void) {
  grant(50000000);
  cli();
  for (;;) __asm__ volatile("");
}

/* 1.5 s in all, but never 1 s at a stretch, even where the host has the CPU for most of a second. */
static void case_below_limit(void) {
  grant(1000000000);
  for (int i = 0; i < 30; i++) {
    cli();
    spin_ns(50000000);
    sti();
    __asm__ volatile("nop");
  }
}

static void* thread_closes(void* device) {
  usleep(10000);
  close((int)(intptr_t)device);
  return NULL;
}

/* Another thread closes the descriptor: the privilege cannot be taken from a running task, so the task is ended. */
static void case_foreign_close(void) {
  pthread_t thread;
  cpu_set_t others;
  const int device = grant(100000000);
  CPU_ZERO(&others);
  CPU_SET(the_cpu == 0 ? 1 : 0, &others);
  CHECK(pthread_create(&thread, NULL, thread_closes, (void*)(intptr_t)device) == 0);
  CHECK(pthread_setaffinity_np(thread, sizeof others, &others) == 0);
  for (;;) {
    cli();
    spin_ns(1000000);
    sti();
  }
}

static void case_unbound(void) {
  const struct maxlat_irqoff_grant request = {.size = sizeof request, .limit_ns = 1000000000};
  const int device = open(MAXLAT_IRQOFF_DEVICE, O_RDWR);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  CPU_SET(1, &set);
  CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_GRANT, &request) == -1 && errno == EINVAL);
}

static void case_limits(void) {
  struct maxlat_irqoff_grant request = {.size = sizeof request, .limit_ns = 0};
  const int device = open(MAXLAT_IRQOFF_DEVICE, O_RDWR);
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_GRANT, &request) == -1 && errno == EINVAL);
  request.limit_ns = MAXLAT_IRQOFF_MAX_LIMIT_NS + 1;
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_GRANT, &request) == -1 && errno == EINVAL);
  request.limit_ns = 1000000000;
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_GRANT, &request) == 0);
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_GRANT, &request) == -1 && errno == EALREADY);
}

/* Prints the largest gap with interrupts on and off: the test plants timer interrupts that take time meanwhile. */
static void case_gaps(void) {
  grant(5000000000);
  printf("gap on %llu\n", (unsigned long long)largest_gap(20000000));
  cli();
  const uint64_t off = largest_gap(20000000);
  sti();
  printf("gap off %llu\n", (unsigned long long)off);
  fflush(stdout);
}

static void case_kernel_loop(void) {
  static struct maxlat_histogram histogram;
  struct maxlat_irqoff_loop loop = {.size = sizeof loop, .duration_ns = 100000000, .histogram = (uintptr_t)&histogram};
  const int device = open(MAXLAT_IRQOFF_DEVICE, O_RDWR);
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_LOOP, &loop) == 0);
  CHECK(maxlat_histogram_valid(&histogram));
  CHECK(maxlat_histogram_total(&histogram) == loop.samples);
  CHECK(histogram.sum == loop.watched_ticks);
  CHECK(histogram.max == loop.max_ticks);
  printf("kernel loop cpu %u samples %llu watched %llu min %llu max %llu smi %llu nmi %u\n", loop.cpu, loop.samples,
         loop.watched_ticks, (unsigned long long)histogram.min, loop.max_ticks, loop.smi_count, loop.nmi_count);
  fflush(stdout);
  loop.histogram = 0;
  loop.duration_ns = MAXLAT_IRQOFF_MAX_LOOP_NS + 1;
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_LOOP, &loop) == -1 && errno == EINVAL);
  loop.duration_ns = 0;
  CHECK(ioctl(device, MAXLAT_IRQOFF_IOC_LOOP, &loop) == -1 && errno == EINVAL);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"without", case_without},
    {"exec-without", case_without},
    {"cli-sti", case_cli_sti},
    {"close", case_close},
    {"revoke", case_revoke},
    {"fork", case_fork},
    {"thread", case_thread},
    {"exec", case_exec},
    {"system-calls", case_system_calls},
    {"page-fault", case_page_fault},
    {"signal", case_signal},
    {"migrate", case_migrate},
    {"crash", case_crash},
    {"exit-off", case_exit_off},
    {"watchdog", case_watchdog},
    {"below-limit", case_below_limit},
    {"foreign-close", case_foreign_close},
    {"unbound", case_unbound},
    {"limits", case_limits},
    {"gaps", case_gaps},
    {"kernel-loop", case_kernel_loop},
};

static void run_case(const char* name) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (strcmp(cases[i].name, name) == 0) {
      int status;
      const pid_t child = fork();
      if (child == 0) {
        bind_to(the_cpu);
        CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
        spin_ns(0); /* the pages of the kernel's clock cannot be locked, but fault only once */
        cases[i].run();
        _exit(0);
      }
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status))
        printf("%s signal %d\n", name, WTERMSIG(status));
      else
        printf("%s exit %d\n", name, WEXITSTATUS(status));
      fflush(stdout);
      return;
    }
  }
  printf("%s unknown\n", name);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  the_cpu = (unsigned)atoi(argv[1]);
  if (strcmp(argv[2], "exec-without") == 0) case_without();
  for (int i = 2; i < argc; i++) run_case(argv[i]);
  return 0;
}
