// SPDX-License-Identifier: MIT
// Raw events of maxlat_trace.ko: what a probe of another type than its tracepoint's is called with, held against what
// is known of the arguments.
//
//   kernel_raw_events known      tracepoints that the table has, too: both records of an event, side by side
//   kernel_raw_events module     the twelve arguments of a module's tracepoint, and those of its function, in place;
//                                the module stays as long as the session
//   kernel_raw_events refusals   what must be refused, is, and with the right errno
#include <fcntl.h>
#include <maxlat/trace/kernel/kernel_abi.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "or_fail.hpp"

namespace {

using namespace maxlat::trace;
using Argument = KernelRawEvent::Argument;
using Kind = KernelRawEvent::Kind;

KernelSession open_or_fail() {
  auto session = KernelSession::open();
  if (!session) fail(session.error().text);
  return *std::move(session);
}

const KernelEventType* added(KernelSession& session, const KernelRawEvent& event) {
  const auto type = session.add(event);
  if (!type) fail(type.error().text);
  return *type;
}

Argument signed_of(std::uint16_t bytes) {
  return {"a", KernelFieldKind::number, bytes};
}
Argument unsigned_of(std::uint16_t bytes) {
  return {"a", KernelFieldKind::cardinal, bytes};
}
const Argument kPointer{"a", KernelFieldKind::address, 8};

std::int64_t value(const KernelRecord& record, std::size_t argument) {
  return record.number(record.type->fields[argument]);
}

void read_all(KernelSession& session, const std::function<void(const KernelRecord&)>& use) {
  must(session.stop());
  must(session.read(use));
  const KernelBooks books = session.books();
  if (books.read != books.delivered || books.lost_full != 0) fail("events were lost");
}

// --- known

// The record of a raw event waits for that of the table, whose probe was attached later.
struct Pairs {
  std::uint64_t switches = 0, calls = 0, alone = 0;
  std::map<std::uint32_t, std::vector<std::int64_t>> waiting;  // of each CPU: a switch's arguments
  std::map<std::int64_t, std::int32_t> threads;                // by the address of the task
};

void see_task(Pairs& pairs, std::int64_t task, std::int32_t thread) {
  const auto [known, is_new] = pairs.threads.try_emplace(task, thread);
  if (!is_new && known->second != thread && thread != 0) known->second = thread;  // a task's memory is used again
}

void pair_switch(Pairs& pairs, const KernelRecord& record) {
  std::vector<std::int64_t>& raw = pairs.waiting[record.cpu];
  const auto fields = record.as<maxlat_kernel_sched_switch>();
  if (raw.empty()) {
    ++pairs.alone;
    return;
  }
  if (raw[0] != 0 && raw[0] != 1) fail("preempt is no truth value");
  if (raw[0] == 0 && raw[3] != fields.prev_state) fail("another state than the table's");
  if (raw[1] == raw[2]) fail("a switch from a task to itself");
  const auto next = pairs.threads.find(raw[1]);  // it was switched to before, on any CPU
  if (next != pairs.threads.end() && fields.prev_tid != 0 && next->second != fields.prev_tid)
    fail("another task than the table's");
  see_task(pairs, raw[2], fields.next_tid);
  raw.clear();
  ++pairs.switches;
}

void known() {
  KernelSession session = open_or_fail();
  const auto* const raw_switch =
      added(session, {Kind::tracepoint, "sched", "sched_switch", {unsigned_of(1), kPointer, kPointer, unsigned_of(4)}});
  const auto* const raw_call =
      added(session, {Kind::tracepoint, "raw_syscalls", "sys_enter", {kPointer, signed_of(8)}});
  must(session.start({.events = kernel_events_matching("sched:sched_switch") | kernel_events_matching("*:sys_enter"),
                      .cpus = {0},
                      .ring_bits = 5,
                      .trust_counter = true}));
  for (int i = 0; i < 50; ++i) usleep(1000);
  Pairs pairs;
  std::optional<std::int64_t> call;
  read_all(session, [&](const KernelRecord& record) {
    if (record.type == raw_switch) {
      pairs.waiting[record.cpu] = {value(record, 0), value(record, 1), value(record, 2), value(record, 3)};
    } else if (record.type == raw_call) {
      call = value(record, 1);
    } else if (record.type->id == MAXLAT_KERNEL_sched_switch) {
      pair_switch(pairs, record);
    } else {
      if (call && *call != record.as<maxlat_kernel_sys_enter>().id) fail("another system call than the table's");
      pairs.calls += call ? 1 : 0;
      call.reset();
    }
  });
  std::printf("switches %lu calls %lu alone %lu\n", pairs.switches, pairs.calls, pairs.alone);
}

// --- module

constexpr const char* kModule = "maxlat_raw_event";

void fire() {
  const int file = open("/sys/module/maxlat_raw_event/parameters/fire", O_WRONLY);
  if (file < 0 || write(file, "1", 1) != 1) fail("the module does not fire");
  close(file);
}

void module() {
  KernelSession session = open_or_fail();
  const auto* const event =
      added(session, {Kind::tracepoint,
                      "maxlat_raw",
                      "maxlat_twelve",
                      {unsigned_of(1), signed_of(1), unsigned_of(1), signed_of(2), unsigned_of(2), signed_of(4),
                       unsigned_of(4), signed_of(8), unsigned_of(8), kPointer, unsigned_of(8), unsigned_of(1)}});
  const auto* const function =
      added(session, {Kind::function,
                      "kprobe",
                      "maxlat_raw_function",
                      {signed_of(8), unsigned_of(1), kPointer, unsigned_of(8), unsigned_of(8), unsigned_of(8)}});
  must(session.start({.events = 0, .trust_counter = true}));
  if (syscall(SYS_delete_module, kModule, O_NONBLOCK) == 0) fail("a module went while its tracepoint was used");
  for (int i = 0; i < 3; ++i) fire();
  std::uint64_t events = 0, functions = 0;
  read_all(session, [&](const KernelRecord& record) {
    if (record.type == event) {
      const std::int64_t expected[] = {
          1, -1, 0xfe, -2, 0xfffd, -3, 0xfffffffc, -4, -0x123456789abcdf0, 0, -0x6543210fedcba988, 0xab};
      for (std::size_t i = 0; i < 12; ++i)
        if (i != 9 && value(record, i) != expected[i]) fail("argument " + std::to_string(i) + " of the tracepoint");
      if (value(record, 9) >= 0) fail("a name that is not in the kernel");
      ++events;
    } else if (record.type == function) {
      const std::int64_t expected[] = {0, -5, 0xcd, 0, 3, 4, 5};
      for (std::size_t i = 1; i < 7; ++i)
        if (i != 3 && value(record, i) != expected[i]) fail("argument " + std::to_string(i - 1) + " of the function");
      if (value(record, 0) >= 0 || value(record, 3) >= 0) fail("a caller or a name that is not in the kernel");
      ++functions;
    } else {
      fail("an event that was not asked for");
    }
  });
  if (events != 3 || functions != 3) fail("not each event once");
  if (syscall(SYS_delete_module, kModule, O_NONBLOCK) != 0) fail("a module does not go after the session");
  std::printf("module: every argument in its place\n");
}

// --- refusals

maxlat_trace_add request_of(std::uint32_t kind, std::uint32_t arguments, std::string_view name) {
  maxlat_trace_add request = {sizeof request, kind, arguments, 0, {}};
  name.copy(request.name, sizeof request.name);
  return request;
}

void must_be_refused(int device, maxlat_trace_add request, int why, const char* what) {
  if (ioctl(device, MAXLAT_TRACE_ADD, &request) == 0 || errno != why) fail(what);
}

void refusals() {
  const int device = open(MAXLAT_TRACE_DEVICE, O_RDWR);
  if (device < 0) fail("no " MAXLAT_TRACE_DEVICE);
  const auto kPoint = MAXLAT_TRACE_TRACEPOINT, kFunction = MAXLAT_TRACE_FUNCTION;
  maxlat_trace_add short_one = request_of(kPoint, 1, "sched_waking");
  short_one.size -= 8;
  must_be_refused(device, short_one, EINVAL, "a request of another size");
  must_be_refused(device, request_of(2, 1, "sched_waking"), EINVAL, "a kind that there is not");
  must_be_refused(device, request_of(kPoint, 13, "sched_waking"), EINVAL, "more arguments than there are probes for");
  must_be_refused(device, request_of(kFunction, 7, "schedule"), EINVAL, "more arguments than registers");
  must_be_refused(device, request_of(kPoint, 1, ""), EINVAL, "no name");
  must_be_refused(device, request_of(kPoint, 1, std::string(MAXLAT_TRACE_RAW_NAME_BYTES, 's')), EINVAL,
                  "a name without an end");
  must_be_refused(device, request_of(kPoint, 1, "no_such_tracepoint"), ENOENT, "a tracepoint that there is not");
  must_be_refused(device, request_of(kFunction, 1, "no_such_function"), ENOENT, "a function that there is not");
  must_be_refused(device, request_of(kFunction, 1, "exc_int3"), EINVAL, "a function that no probe may be in");
  maxlat_trace_start start = {sizeof start, 12, 1, 0, 0, 0, 0, 0, 0};
  if (ioctl(device, MAXLAT_TRACE_START, &start) == 0 || errno != EINVAL) fail("a session without an event");
  maxlat_trace_add good = request_of(kPoint, 1, "sched_waking"), again = good;
  if (ioctl(device, MAXLAT_TRACE_ADD, &good) != 0 || ioctl(device, MAXLAT_TRACE_ADD, &again) != 0 ||
      good.id < MAXLAT_TRACE_FIRST_RAW || good.id != again.id)
    fail("the same event twice is not one");
  if (ioctl(device, MAXLAT_TRACE_START, &start) != 0) fail("START does not work");
  must_be_refused(device, good, EBUSY, "ADD after START");
  std::printf("refusals: as they should be\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "known")
    known();
  else if (what == "module")
    module();
  else if (what == "refusals")
    refusals();
  else
    return 2;
  return 0;
}
