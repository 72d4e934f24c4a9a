// SPDX-License-Identifier: MIT
// Records the kernel's events by maxlat_trace.ko, reads them in user space, and holds them against what must be true of
// them: of two switches of a CPU, one behind the other, the second begins with the task that the first ended with;
// interrupts, softirqs and timers that begin also end; stamps do not go back; nothing is lost that is not counted.
//
//   kernel_trace_reader SECONDS PATTERN...   all events that match. "missing NAME": the kernel lacks that one. Then
//                                            read N delivered N lost N broken N unpaired N back N own N returned N,
//                                            where own are the switches to this program and returned the CPUs that
//                                            went offline and came back; then a line for each event
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <string>

#include "or_fail.hpp"

namespace {

using namespace maxlat::trace;

struct Cpu {
  std::uint64_t time = 0;
  std::int32_t running = -1;  // unknown
  bool may_go = false;        // offline: in this thread, and no tracepoint tells of the switch to idle behind it
  std::int64_t in_irq = -1;
  std::map<std::int32_t, std::int64_t> in_softirq;  // of each task: PREEMPT_RT runs them in tasks, which are preempted
};

struct Counts {
  std::uint64_t of[MAXLAT_KERNEL_EVENT_COUNT + 1] = {};
  std::uint64_t broken = 0, unpaired = 0, back = 0, own = 0, returned = 0;
};

std::map<std::uint32_t, Cpu> cpus;
Counts counts;

constexpr std::int64_t kNothing = -1;

void enter(std::int64_t& state, std::int64_t number) {
  if (state != kNothing) ++counts.unpaired;  // they do not nest
  state = number;
}
// What was entered before the session began is not known.
void leave(std::int64_t& state, std::int64_t number) {
  if (state != kNothing && state != number) ++counts.unpaired;
  state = kNothing;
}
std::int64_t& softirq_of(Cpu& cpu) {
  return cpu.in_softirq.try_emplace(cpu.running, kNothing).first->second;
}

void look_at_order(Cpu& cpu, const KernelRecord& record) {
  switch (record.type->id) {
    case MAXLAT_KERNEL_sched_switch: {
      const auto change = record.as<maxlat_kernel_sched_switch>();
      if (cpu.running >= 0 && cpu.running != change.prev_tid)
        ++(cpu.may_go && change.prev_tid == 0 ? counts.returned : counts.broken);
      cpu.may_go = std::strncmp(change.next_comm, "migration/", 10) == 0;
      if (cpu.running < 0) cpu.in_softirq.clear();  // of whom, was not known
      cpu.running = change.next_tid;
      if (change.next_tid == getpid() && std::strcmp(change.next_comm, "kernel_trace_re") == 0) ++counts.own;
      break;
    }
    case MAXLAT_KERNEL_irq_handler_entry:
      enter(cpu.in_irq, record.as<maxlat_kernel_irq_handler_entry>().irq);
      break;
    case MAXLAT_KERNEL_irq_handler_exit:
      leave(cpu.in_irq, record.as<maxlat_kernel_irq_handler_exit>().irq);
      break;
    case MAXLAT_KERNEL_softirq_entry:
      enter(softirq_of(cpu), record.as<maxlat_kernel_softirq>().vec);
      break;
    case MAXLAT_KERNEL_softirq_exit:
      leave(softirq_of(cpu), record.as<maxlat_kernel_softirq>().vec);
      break;
    default:
      break;
  }
}

void look_at(const KernelRecord& record) {
  Cpu& cpu = cpus[record.cpu];
  ++counts.of[record.type->id];
  if (record.tick < cpu.time) ++counts.back;
  cpu.time = record.tick;
  look_at_order(cpu, record);
}

}  // namespace

int main(int count, char** arguments) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  if (count < 3) return 2;
  const milliseconds duration(static_cast<long>(1000 * std::strtod(arguments[1], nullptr)));
  KernelSessionOptions options;
  for (int i = 2; i < count; ++i) options.events |= kernel_events_matching(arguments[i]);
  options.ring_bits = 5;
  options.trust_counter = true;  // the emulator's promises nothing

  auto session = KernelSession::open();
  if (!session) fail(session.error().text);
  for (const std::string& name : kernel_event_names(options.events & ~session->capabilities().events))
    std::printf("missing %s\n", name.c_str());
  must(session->start(options));
  std::printf("started\n");
  std::fflush(stdout);
  const auto end = steady_clock::now() + duration;
  while (steady_clock::now() < end) {
    const auto found = session->wait(milliseconds(1000));
    if (!found) fail(found.error().text);
    must(session->read(look_at));
  }
  must(session->stop());
  must(session->read(look_at));
  const KernelBooks books = session->books();
  std::printf("read %lu delivered %lu lost %lu broken %lu unpaired %lu back %lu own %lu returned %lu\n", books.read,
              books.delivered, books.lost_full + books.lost_wrap + books.lost_big, counts.broken, counts.unpaired,
              counts.back, counts.own, counts.returned);
  for (const KernelEventType& type : kernel_event_types())
    std::printf("event %.*s %lu\n", static_cast<int>(type.name.size()), type.name.data(), counts.of[type.id]);
  return 0;
}
