// SPDX-License-Identifier: MIT
// Sessions of maxlat_trace.ko from all sides but that of a reader who behaves (kernel_trace_reader.cpp).
//
//   kernel_trace_sessions refusals          what must be refused, is, and with the right errno
//   kernel_trace_sessions quiet             on CPU 1, one event: it can be read, and nobody is told twice
//   kernel_trace_sessions separate          eight at once, of other events, CPUs and modes: each has its own, all of it
//   kernel_trace_sessions killed TIMES      owners that are killed while a session is new, running, read, mapped
//   kernel_trace_sessions cycles TIMES PATTERN...   start, an event, stop: it is there, and nothing comes behind
//   kernel_trace_sessions hold COUNT PATTERN...     so many sessions until SIGTERM; prints "lost N"
#include <fcntl.h>
#include <maxlat/trace/kernel/kernel_abi.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "or_fail.hpp"

namespace {

using namespace maxlat::trace;
using std::chrono::milliseconds;

std::uint64_t bit(std::uint32_t id) {
  return kernel_event_types()[id - 1].bit();
}
// What a busy program has many of.
std::uint64_t many() {
  return kernel_events_matching("raw_syscalls:*") | bit(MAXLAT_KERNEL_sched_switch);
}

KernelSession open_or_fail() {
  auto session = KernelSession::open();
  if (!session) fail(session.error().text);
  return *std::move(session);
}
KernelSession started(KernelSessionOptions options) {
  KernelSession session = open_or_fail();
  options.trust_counter = true;
  must(session.start(options));
  return session;
}

void stay_on(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) fail("no such CPU");
}

// A child that begins a program on one CPU, and ends. RETURNS: its number.
pid_t child_on(int cpu) {
  const pid_t child = fork();
  if (child == 0) {
    stay_on(cpu);
    execl("/proc/self/exe", "kernel_trace_sessions", "nothing", nullptr);
    _exit(1);
  }
  waitpid(child, nullptr, 0);
  return child;
}

// --- refusals

int open_device() {
  const int device = open(MAXLAT_TRACE_DEVICE, O_RDWR | O_NONBLOCK);
  if (device < 0) fail("no " MAXLAT_TRACE_DEVICE);
  return device;
}

template <class Request>
void must_be_refused(int device, unsigned long command, Request request, int why, const char* what) {
  if (ioctl(device, command, &request) == 0 || errno != why) fail(what);
}

void refuse_starts(int device, const maxlat_trace_start& good) {
  const auto refused = [&](auto change, int why, const char* what) {
    maxlat_trace_start request = good;
    change(request);
    must_be_refused(device, MAXLAT_TRACE_START, request, why, what);
  };
  refused([](auto& request) { request.size -= 4; }, EINVAL, "a request of another size");
  refused([](auto& request) { request.sub_buffer_bits = 11; }, EINVAL, "sub-buffers below a page");
  refused([](auto& request) { request.sub_buffer_bits = 64; }, EINVAL, "sub-buffers beyond all memory");
  refused([](auto& request) { request.ring_bits = 0; }, EINVAL, "a ring of one sub-buffer");
  refused([](auto& request) { request.ring_bits = 64; }, EINVAL, "a ring beyond all memory");
  refused([](auto& request) { request.sub_buffer_bits = 22, request.ring_bits = 7; }, ENOMEM, "half a GiB a CPU");
  refused([](auto& request) { request.overwrite = 2; }, EINVAL, "a mode that is none");
  refused([](auto& request) { request.events = 0; }, EINVAL, "no event");
  refused([](auto& request) { request.events |= std::uint64_t{1} << 63; }, ENOENT, "an event that there is not");
  refused([](auto& request) { request.period_ms = MAXLAT_TRACE_MAX_PERIOD_MS + 1; }, EINVAL, "a period without end");
  refused([](auto& request) { request.cpu_mask_bytes = 8, request.cpu_mask = 8; }, EFAULT, "a mask that is not there");
  static const std::uint64_t none = 0, beyond = std::uint64_t{1} << 63;
  const auto on = [](const std::uint64_t& mask) {
    return [&mask](auto& request) {
      request.cpu_mask_bytes = sizeof mask;
      request.cpu_mask = reinterpret_cast<std::uintptr_t>(&mask);
    };
  };
  refused(on(none), EINVAL, "no CPU");
  refused(on(beyond), EINVAL, "a CPU that there is not");
}

maxlat_trace_packet packet_of(std::uint32_t cpu) {
  return {sizeof(maxlat_trace_packet), cpu, 0, 0, 0};
}
maxlat_trace_put put_of(std::uint32_t cpu) {
  return {sizeof(maxlat_trace_put), cpu};
}

void refuse_mappings(int device, std::uint64_t bytes) {
  if (mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0) != MAP_FAILED || errno != EPERM)
    fail("a ring was mapped writable");
  if (mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, device, 0) != MAP_FAILED)
    fail("a copy of a ring was mapped writable");
  if (mmap(nullptr, 2 * bytes, PROT_READ, MAP_SHARED, device, 0) != MAP_FAILED) fail("more than a ring was mapped");
  if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, device, 4096) != MAP_FAILED) fail("a ring was mapped from its middle");
  void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, device, 0);
  if (memory == MAP_FAILED) fail("a ring cannot be mapped");
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0) fail("a ring became writable");
}

// Another who has the same session: a packet is one reader's.
void refuse_second_consumer(int device) {
  maxlat_trace_packet packet = packet_of(0);
  stay_on(0);
  while (ioctl(device, MAXLAT_TRACE_GET, &packet) != 0) sched_yield();
  const pid_t other = fork();
  if (other == 0) {
    must_be_refused(device, MAXLAT_TRACE_GET, packet_of(0), EBUSY, "GET of a second consumer");
    _exit(0);
  }
  int status = 0;
  if (waitpid(other, &status, 0) != other || status != 0) fail("a second consumer");
  const maxlat_trace_put put = put_of(0);
  if (ioctl(device, MAXLAT_TRACE_PUT, &put) != 0) fail("PUT does not work");
}

void refusals() {
  const int device = open_device();
  maxlat_trace_start request = {sizeof request, 12, 1, 0, many(), 0, 0, 0, 0};
  std::uint64_t periods = 0;
  must_be_refused(device, MAXLAT_TRACE_GET, packet_of(0), EINVAL, "GET before START");
  must_be_refused(device, MAXLAT_TRACE_STOP, 0, EBUSY, "STOP before START");
  if (read(device, &periods, sizeof periods) != 0) fail("read before START is not at the end");
  refuse_starts(device, request);
  if (ioctl(device, MAXLAT_TRACE_START, &request) != 0) fail("START does not work");
  must_be_refused(device, MAXLAT_TRACE_START, request, EBUSY, "START once more");
  for (const std::uint32_t cpu : {4096u, UINT32_MAX}) {
    must_be_refused(device, MAXLAT_TRACE_GET, packet_of(cpu), EINVAL, "GET of a CPU that there is not");
    must_be_refused(device, MAXLAT_TRACE_PUT, put_of(cpu), EINVAL, "PUT of a CPU that there is not");
  }
  must_be_refused(device, MAXLAT_TRACE_PUT, put_of(0), EINVAL, "PUT without a packet");
  must_be_refused(device, 0x12345678, 0, ENOTTY, "a command that is none");
  if (read(device, &periods, 4) >= 0 || errno != EINVAL) fail("half a number of periods");
  if (read(device, &periods, sizeof periods) >= 0 || errno != EAGAIN) fail("read without a period");
  refuse_mappings(device, request.ring_bytes);
  refuse_second_consumer(device);
  if (ioctl(device, MAXLAT_TRACE_STOP) != 0) fail("STOP does not work");
  must_be_refused(device, MAXLAT_TRACE_STOP, 0, EBUSY, "STOP once more");
  std::vector<int> others;
  for (int i = 1; i < MAXLAT_TRACE_SESSIONS; ++i) others.push_back(open_device());
  if (open(MAXLAT_TRACE_DEVICE, O_RDWR) >= 0 || errno != EMFILE) fail("one session more than there are");
  chmod(MAXLAT_TRACE_DEVICE, 0666);
  if (setuid(65534) != 0 || open(MAXLAT_TRACE_DEVICE, O_RDWR) >= 0 || errno != EPERM)
    fail("anybody may trace the kernel");
}

// --- quiet

void quiet() {
  KernelSession session =
      started({.events = bit(MAXLAT_KERNEL_sched_process_exec), .cpus = {1}, .period = milliseconds(50)});
  const auto told = session.wait(milliseconds(200));
  if (!told || *told) fail("something was told, and nothing was");
  std::vector<std::int32_t> begun;
  const auto look_at = [&](const KernelRecord& record) {
    begun.push_back(record.as<maxlat_kernel_sched_process_exec>().tid);
  };
  for (int i = 0; i < 3; ++i) {
    begun.clear();
    const pid_t child = child_on(1);
    const auto found = session.wait(milliseconds(60000));
    if (!found || !*found) fail("an event of a quiet CPU was not told of within a minute");
    must(session.read(look_at));
    if (begun != std::vector<std::int32_t>{child}) fail("not the one program that was begun");
  }
  const auto again = session.wait(milliseconds(200));
  if (!again || *again) fail("an event was told twice");
  if (session.books().delivered != 0) fail("the packet was closed for that");
}

// --- separate

void separate() {
  const std::uint64_t calls = kernel_events_matching("raw_syscalls:*");
  std::vector<KernelSessionOptions> wanted;
  for (const bool overwrite : {false, true})
    for (const std::vector<std::uint32_t>& cpus : {std::vector<std::uint32_t>{0}, {1}})
      for (const std::uint64_t events : {calls, bit(MAXLAT_KERNEL_sched_switch)})
        wanted.push_back(
            {.events = events, .cpus = cpus, .sub_buffer_bits = 12, .ring_bits = 2, .overwrite = overwrite});
  std::vector<KernelSession> sessions;
  for (const KernelSessionOptions& options : wanted) sessions.push_back(started(options));
  const auto is_more_than_a_ring = [](const KernelSession& session) {
    const KernelBooks books = session.books();
    return books.delivered + books.lost_full > 500;
  };
  for (int i = 0; !std::all_of(sessions.begin(), sessions.end(), is_more_than_a_ring); ++i) {
    stay_on(i % 2);
    for (int sleeps = 0; sleeps < 50; ++sleeps) usleep(50);
  }
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const KernelSessionOptions& options = wanted[i];
    std::uint64_t count = 0, last = 0;
    must(sessions[i].stop());
    must(sessions[i].read([&](const KernelRecord& record) {
      if ((record.type->bit() & options.events) == 0) fail("an event that was not asked for");
      if (record.cpu != options.cpus.front()) fail("a CPU that was not asked for");
      if (record.tick < last) fail("a stamp that goes back");
      last = record.tick;
      ++count;
    }));
    const KernelBooks books = sessions[i].books();
    const std::uint64_t lost = books.lost_full + books.lost_wrap + books.lost_big;
    if (count == 0 || count != books.read) fail("no event, or not as many as the books have");
    if (options.overwrite ? lost != 0 || books.read >= books.delivered : lost == 0 || books.read != books.delivered)
      fail("lost and overwritten, of session " + std::to_string(i));
    std::printf("session %zu overwrite %d read %lu delivered %lu lost %lu\n", i, options.overwrite, books.read,
                books.delivered, lost);
  }
}

// --- killed, cycles, hold

// Which the table does not have.
void add_raw_events(KernelSession& session) {
  for (const KernelRawEvent& event :
       {KernelRawEvent{KernelRawEvent::Kind::tracepoint, "sched", "sched_waking", {{"task"}}},
        KernelRawEvent{KernelRawEvent::Kind::function, "kprobe", "schedule"}})
    if (const auto type = session.add(event); !type) fail(type.error().text);
}

void live_until_killed(int state) {
  KernelSession session = open_or_fail();
  if (state == 2 || state == 7) add_raw_events(session);  // also before it runs
  if (state > 0 && state < 7) {
    must(session.start({.events = many(),
                        .sub_buffer_bits = 12,
                        .ring_bits = 1,
                        .overwrite = state % 2 == 0,
                        .period = milliseconds(4),
                        .trust_counter = true}));
  }
  maxlat_trace_packet packet = packet_of(0);
  stay_on(0);
  if (state == 3 || state == 4)  // with a packet in its hands
    while (ioctl(session.descriptor(), MAXLAT_TRACE_GET, &packet) != 0) sched_yield();
  if (state == 5) must(session.stop());
  if (write(1, "x", 1) != 1) _exit(1);
  for (;;) {
    if (state == 6)
      must(session.read([](const KernelRecord&) {}));
    else
      pause();
  }
}

void killed(long times) {
  for (long i = 0; i < times; ++i) {
    int ready[2];
    if (pipe(ready) != 0) fail("no pipe");
    const pid_t owner = fork();
    if (owner == 0) {
      dup2(ready[1], 1);
      live_until_killed(static_cast<int>(i % 8));
    }
    close(ready[1]);
    char byte = 0;
    if (read(ready[0], &byte, 1) != 1) fail("an owner ended by itself");
    close(ready[0]);
    kill(owner, SIGKILL);
    int status = 0;
    if (waitpid(owner, &status, 0) != owner || WTERMSIG(status) != SIGKILL) fail("an owner was not killed");
  }
  std::vector<int> all;  // none is left over
  for (int i = 0; i < MAXLAT_TRACE_SESSIONS; ++i) all.push_back(open_device());
}

std::uint64_t events_of(char** patterns) {
  std::uint64_t events = 0;
  for (; *patterns != nullptr; ++patterns) events |= kernel_events_matching(*patterns);
  return events;
}

void cycles(long times, std::uint64_t events) {
  std::uint64_t empty = 0;
  for (long i = 0; i < times; ++i) {
    std::uint64_t count = 0, behind = 0;
    KernelSession session = open_or_fail();
    if (i % 10 == 0) add_raw_events(session);
    must(session.start({.events = events,
                        .sub_buffer_bits = 12,
                        .ring_bits = 2,
                        .overwrite = i % 2 == 0,
                        .period = milliseconds(0),
                        .trust_counter = true}));
    must(session.read([&](const KernelRecord&) { ++count; }));
    must(session.stop());
    must(session.read([&](const KernelRecord&) { ++count; }));
    if (count == 0) ++empty;
    sched_yield();
    must(session.read([&](const KernelRecord&) { ++behind; }));
    if (behind != 0) fail("an event was written behind the end");
  }
  std::printf("cycles %ld empty %lu\n", times, empty);
}

void hold(long count, std::uint64_t events) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, nullptr);
  std::vector<KernelSession> sessions;
  for (long i = 0; i < count; ++i)
    sessions.push_back(started({.events = events, .sub_buffer_bits = 13, .ring_bits = 7, .period = milliseconds(0)}));
  std::printf("started\n");
  std::fflush(stdout);
  int signal = 0;
  sigwait(&term, &signal);
  std::uint64_t lost = 0;
  for (KernelSession& session : sessions) {
    const KernelBooks books = session.books();
    lost += books.lost_full + books.lost_wrap + books.lost_big;
  }
  std::printf("lost %lu\n", lost);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  const long number = count > 2 ? std::strtol(arguments[2], nullptr, 10) : 0;
  if (what == "refusals")
    refusals();
  else if (what == "quiet")
    quiet();
  else if (what == "separate")
    separate();
  else if (what == "killed")
    killed(number);
  else if (what == "cycles")
    cycles(number, events_of(arguments + 3));
  else if (what == "hold")
    hold(number, events_of(arguments + 3));
  else if (what != "nothing")
    return 2;
  return 0;
}
