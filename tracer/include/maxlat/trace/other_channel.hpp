// SPDX-License-Identifier: MIT
//
// What probes need of channels that are not of the fast kind (thread.hpp), and the calls they make on their way to a
// ring when there is none yet. For probe.hpp only.
#pragma once

#include <maxlat/ring/record_write.h>

#include <atomic>
#include <cstdint>
#include <maxlat/trace/current_cpu.hpp>
#include <maxlat/trace/thread.hpp>

namespace maxlat::trace::detail {

// A ring of one CPU. Of a size that finds the ring of CPU n with a shift.
struct alignas(128) CpuRing {
  maxlat_ring ring;
};

// Written before an event's word names the channel, never changed while a probe that saw the name is inside.
struct OtherChannel {
  bool per_cpu = false;
  int wakeup = -1;                 // eventfd, or -1
  std::uint32_t cpus = 0;          // of rings
  const CpuRing* rings = nullptr;  // [cpus]
};

// [0] never has a ring; channel c is at 1 + c - kFastChannels.
extern constinit OtherChannel other_channels[1 + kOtherChannels];

inline const OtherChannel& no_cpu_rings() {
  return other_channels[0];
}
inline OtherChannel& other_channel(unsigned channel) {
  return other_channels[1 + channel - kFastChannels];
}

// All of these: REQUIRES: inside. THREADS: any, signal handlers too. They leave errno as it was.

// Puts the thread into the list of those that are waited for. RETURNS: false: it is ending, or in the tracer itself.
bool register_in_probe();
// A ring for this thread. RETURNS: null when there is none, or the channel is not running; counted.
const maxlat_ring* claim_ring(unsigned channel);
// Counts an event that a thread without registration cannot record, in each channel that wants it.
void lose(const std::atomic<std::uint32_t>& wanted_by);
// After a record that was the first of its packet: one write to the eventfd.
void wake_consumer(const OtherChannel& channel, const maxlat_ring* ring, const maxlat_ring_record& record);
// After a commit that made the packet of `position` have `committed`, its own record not counted yet: delivers the
// packet if that filled it. The probe's end.
void deliver_and_leave(const maxlat_ring* ring, std::uint64_t position, std::uint64_t committed);
// Counts an event on a CPU that the channel has no ring for (plugged in since).
void lose_on_cpu(unsigned channel);

[[gnu::always_inline]] inline const maxlat_ring* ring_of(unsigned channel) {
  const ThreadState& thread = thread_state;
  const maxlat_ring* ring =
      channel < kFastChannels ? thread.ring[1 + channel] : thread.other_ring[channel - kFastChannels];
  return MAXLAT_LIKELY(ring != &nowhere) ? ring : claim_ring(channel);
}

// The ring of the CPU we are on now. By the time of the write we may be elsewhere: its writers are atomic
// (MAXLAT_RING_CPU).
[[gnu::always_inline]] inline const maxlat_ring* ring_of_cpu(const OtherChannel& channel, unsigned number) {
  const std::uint32_t cpu = current_cpu();
  if (MAXLAT_LIKELY(cpu < channel.cpus)) return &channel.rings[cpu].ring;
  lose_on_cpu(number);
  return nullptr;
}

}  // namespace maxlat::trace::detail
