// SPDX-License-Identifier: MIT
// NMIs trace into memory that this program has mapped read-only (tests/guest/ring/ring_device.c): it sees their stores
// while it runs, reads every record as it was traced, and cannot get write access to the memory, whatever it tries.
//
//   nmi_ring_reader NMIS     one line: read N delivered N lost N nmis N in-user-space N seen-at-once N
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <maxlat/ring/walk.h>

#include "../ring/ring_abi.h"
#include "or_fail.hpp"

namespace {

int device;
const std::uint8_t* memory;
std::uint64_t last, events;

ring_test_books books() {
  ring_test_books now;
  if (ioctl(device, RING_TEST_BOOKS, &now) != 0) fail("no books");
  return now;
}

void map_read_only() {
  const std::uint64_t bytes = books().bytes;
  for (const int kind : {MAP_SHARED, MAP_PRIVATE})
    if (mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, device, 0) != MAP_FAILED) fail("it was mapped writable");
  void* const mapping = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, device, 0);
  if (mapping == MAP_FAILED) fail("it cannot be mapped");
  if (mprotect(mapping, bytes, PROT_READ | PROT_WRITE) == 0 || errno != EACCES) fail("it was made writable");
  const int own = open("/proc/self/mem", O_RDWR);
  const std::uint64_t zero = 0;
  if (own < 0) fail("no /proc/self/mem");
  if (pwrite(own, &zero, sizeof zero, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(mapping))) >= 0)
    fail("it was written as a debugger writes");
  close(own);
  if (mmap(nullptr, bytes + 4096, PROT_READ, MAP_SHARED, device, 0) != MAP_FAILED) fail("more than the ring was mapped");
  memory = static_cast<const std::uint8_t*>(mapping);
}

// RETURNS: whether there was a packet.
bool read_packet() {
  ring_test_packet packet;
  if (ioctl(device, RING_TEST_GET, &packet) != 0) return false;
  maxlat_ring_walk walk;
  maxlat_ring_walk_start(&walk, memory + packet.offset, packet.content_size);
  maxlat_ring_walked record;
  maxlat_ring_step step;
  while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
    const auto* payload = reinterpret_cast<const std::uint64_t*>(record.payload);
    const std::uint64_t check = ((std::uint64_t{1} << 56) ^ payload[0]) * 0x9e3779b97f4a7c15u;  // ring_events.h
    if (record.id != 1 || payload[1] != check || payload[0] <= last) fail("a record is not what the NMI traced");
    last = payload[0];
    ++events;
  }
  if (step != MAXLAT_RING_END) fail("a packet ends in the middle of a record");
  if (ioctl(device, RING_TEST_PUT) != 0) fail("the packet cannot be put back");
  return true;
}

// In user space, until the next NMI has written, which is seen in the memory alone.
bool wait_in_user_space() {
  const volatile std::uint64_t& write_count = reinterpret_cast<const maxlat_ring_header*>(memory)->write_count;
  const std::uint64_t before = write_count;
  for (int i = 0; i < 100000; ++i)
    if (write_count != before) return true;
  return false;
}

}  // namespace

int main(int, char** arguments) {
  const std::uint64_t nmis = std::strtoull(arguments[1], nullptr, 10);
  device = open("/dev/maxlat_ring_test", O_RDWR);
  if (device < 0) fail("no /dev/maxlat_ring_test");
  map_read_only();
  if (ioctl(device, RING_TEST_NMIS, nmis) != 0) fail("no NMIs");
  std::uint64_t seen_at_once = 0;
  while (books().nmis < nmis) {
    seen_at_once += wait_in_user_space() ? 1 : 0;
    read_packet();
  }
  if (ioctl(device, RING_TEST_FINALISE) != 0) fail("not finalised");
  while (read_packet()) {
  }
  const ring_test_books end = books();
  std::printf("read %llu delivered %llu lost %llu tried %llu nmis %llu in-user-space %llu seen-at-once %llu\n",
              static_cast<unsigned long long>(events), end.delivered, end.lost, end.tried, end.nmis,
              end.nmis_in_user_space, static_cast<unsigned long long>(seen_at_once));
  return 0;
}
