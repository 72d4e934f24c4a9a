// SPDX-License-Identifier: MIT
// Records the kernel's events by maxlat_trace.ko, reads them in user space, and holds them against
// what must be true of them: of two switches of a CPU, one behind the other, the second begins with the task that the
// first ended with; interrupts, softirqs and timers that begin also end; stamps do not go back; nothing is lost that is
// not counted.
//
//   kernel_trace_reader TENTHS   of a second. A line: read N delivered N lost N broken N unpaired N back N own N, where
//                                own are the switches to this program; then a line for each event
#include <fcntl.h>
#include <maxlat/ring/walk.h>
#include <maxlat/trace/kernel_abi.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <vector>

#include "or_fail.hpp"

namespace {

struct Cpu {
  const std::uint8_t* memory;
  std::uint64_t time = 0;
  std::int32_t running = -1;  // unknown
  std::int64_t in_irq = -1;
  std::map<std::int32_t, std::int64_t> in_softirq;  // of each task: PREEMPT_RT runs them in tasks, which are preempted
};

struct Counts {
  std::uint64_t of[MAXLAT_KERNEL_EVENT_COUNT + 1] = {};
  std::uint64_t read = 0, broken = 0, unpaired = 0, back = 0, own = 0;
};

int device;
std::vector<Cpu> cpus;
Counts counts;

template <typename Record>
const Record& as(const maxlat_ring_walked& record) {
  if (record.payload_size != sizeof(Record)) fail("a record of another size");
  return *reinterpret_cast<const Record*>(record.payload);
}

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

void look_at(Cpu& cpu, const maxlat_ring_walked& record) {
  if (record.id == 0 || record.id > MAXLAT_KERNEL_EVENT_COUNT) fail("an event that was not asked for");
  ++counts.of[record.id];
  ++counts.read;
  if (record.time < cpu.time) ++counts.back;
  cpu.time = record.time;
  switch (record.id) {
    case MAXLAT_KERNEL_sched_switch: {
      const auto& change = as<maxlat_kernel_sched_switch>(record);
      if (cpu.running >= 0 && cpu.running != change.prev_tid) ++counts.broken;
      if (cpu.running < 0) cpu.in_softirq.clear();  // of whom, was not known
      cpu.running = change.next_tid;
      if (change.next_tid == getpid() && std::strcmp(change.next_comm, "kernel_trace_re") == 0) ++counts.own;
      break;
    }
    case MAXLAT_KERNEL_irq_handler_entry:
      enter(cpu.in_irq, as<maxlat_kernel_irq_handler_entry>(record).irq);
      break;
    case MAXLAT_KERNEL_irq_handler_exit:
      leave(cpu.in_irq, as<maxlat_kernel_irq_handler_exit>(record).irq);
      break;
    case MAXLAT_KERNEL_softirq_entry:
      enter(softirq_of(cpu), as<maxlat_kernel_softirq_entry>(record).vec);
      break;
    case MAXLAT_KERNEL_softirq_exit:
      leave(softirq_of(cpu), as<maxlat_kernel_softirq_exit>(record).vec);
      break;
    default:
      break;
  }
}

// RETURNS: whether there was a packet.
bool read_packet(std::uint32_t number) {
  maxlat_trace_packet packet = {sizeof packet, number, 0, 0, 0};
  if (ioctl(device, MAXLAT_TRACE_GET, &packet) != 0) {
    if (errno != EAGAIN) fail("GET does not work");
    return false;
  }
  Cpu& cpu = cpus[number];
  maxlat_ring_walk walk;
  maxlat_ring_walk_start(&walk, cpu.memory + packet.offset, packet.content_size);
  maxlat_ring_walked record;
  maxlat_ring_step step;
  while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) look_at(cpu, record);
  if (step != MAXLAT_RING_END) fail("a packet ends in the middle of a record");
  const maxlat_trace_put put = {sizeof put, number};
  if (ioctl(device, MAXLAT_TRACE_PUT, &put) != 0) fail("PUT does not work");
  return true;
}

void read_all() {
  for (std::uint32_t cpu = 0; cpu < cpus.size(); ++cpu)
    while (read_packet(cpu)) {
    }
}

maxlat_trace_packet packet_of(std::uint32_t cpu) {
  return {sizeof(maxlat_trace_packet), cpu, 0, 0, 0};
}

template <class Request>
void must_be_refused(unsigned long command, Request request, int why, const char* what) {
  if (ioctl(device, command, &request) == 0 || errno != why) fail(what);
}

void try_bad_requests(const maxlat_trace_start& good) {
  const auto refused = [&](auto change, int why, const char* what) {
    maxlat_trace_start request = good;
    change(request);
    must_be_refused(MAXLAT_TRACE_START, request, why, what);
  };
  refused([](auto& request) { request.size -= 4; }, EINVAL, "a request of another size");
  refused([](auto& request) { request.sub_buffer_bits = 11; }, EINVAL, "sub-buffers below a page");
  refused([](auto& request) { request.sub_buffer_bits = 64; }, EINVAL, "sub-buffers beyond all memory");
  refused([](auto& request) { request.ring_bits = 0; }, EINVAL, "a ring of one sub-buffer");
  refused([](auto& request) { request.ring_bits = 64; }, EINVAL, "a ring beyond all memory");
  refused([](auto& request) { request.overwrite = 2; }, EINVAL, "a mode that is none");
  refused([](auto& request) { request.events = 0; }, EINVAL, "no event");
  refused([](auto& request) { request.events |= std::uint64_t{1} << 63; }, ENOENT, "an event that there is not");
  must_be_refused(MAXLAT_TRACE_GET, packet_of(0), EINVAL, "GET before START");
}

void try_bad_cpus() {
  for (const std::uint32_t cpu : {4096u, UINT32_MAX}) {
    must_be_refused(MAXLAT_TRACE_GET, packet_of(cpu), EINVAL, "GET of a CPU that there is not");
    must_be_refused(MAXLAT_TRACE_PUT, maxlat_trace_put{sizeof(maxlat_trace_put), cpu}, EINVAL,
                    "PUT of a CPU that there is not");
  }
  must_be_refused(MAXLAT_TRACE_PUT, maxlat_trace_put{sizeof(maxlat_trace_put), 0}, EINVAL, "PUT without a packet");
}

std::uint64_t start() {
  maxlat_trace_info info;
  if (ioctl(device, MAXLAT_TRACE_INFO, &info) != 0) fail("INFO does not work");
  maxlat_trace_start request = {sizeof request, 16, 3, 0, info.events, 0};
  if (info.events != (1u << MAXLAT_KERNEL_EVENT_COUNT) - 1) fail("this kernel lacks events");
  try_bad_requests(request);
  if (ioctl(device, MAXLAT_TRACE_START, &request) != 0) fail("START does not work");
  must_be_refused(MAXLAT_TRACE_START, request, EBUSY, "START once more");
  try_bad_cpus();
  cpus.resize(static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_CONF)));
  for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    const auto offset = static_cast<off_t>(cpu * request.ring_bytes);
    if (mmap(nullptr, request.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device, offset) != MAP_FAILED)
      fail("a ring was mapped writable");
    void* const memory = mmap(nullptr, request.ring_bytes, PROT_READ, MAP_SHARED, device, offset);
    if (memory == MAP_FAILED) fail("a ring cannot be mapped");
    cpus[cpu].memory = static_cast<const std::uint8_t*>(memory);
  }
  return request.events;
}

}  // namespace

int main(int, char** arguments) {
  device = open(MAXLAT_TRACE_DEVICE, O_RDWR);
  if (device < 0) fail("no " MAXLAT_TRACE_DEVICE);
  start();
  const long tenths = std::strtol(arguments[1], nullptr, 10);
  for (long i = 0; i < tenths; ++i) {
    const timespec tenth = {0, 100000000};
    nanosleep(&tenth, nullptr);
    if (ioctl(device, MAXLAT_TRACE_FLUSH) != 0) fail("FLUSH does not work");
    read_all();
  }
  if (ioctl(device, MAXLAT_TRACE_STOP) != 0) fail("STOP does not work");
  read_all();
  std::uint64_t delivered = 0, lost = 0;
  for (const Cpu& cpu : cpus) {
    const auto& header = *reinterpret_cast<const maxlat_ring_header*>(cpu.memory);
    delivered += header.records_delivered;
    lost += header.lost_full + header.lost_wrap + header.lost_big;
  }
  std::printf("read %lu delivered %lu lost %lu broken %lu unpaired %lu back %lu own %lu\n", counts.read, delivered,
              lost, counts.broken, counts.unpaired, counts.back, counts.own);
#define TELL(id, name) std::printf("event " #name " %lu\n", counts.of[id]);
  MAXLAT_KERNEL_EVENTS(TELL)
  return 0;
}
