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

// The rings of a channel by CPU: [0] says how many, the ring of CPU n is at [1 + n]. One table, so that a probe needs
// one address to know whether there is a ring and where.
union CpuRings {
  std::uint64_t count;
  const maxlat_ring* ring;
};

// Written before an event's word names the channel, never changed while a probe that saw the name is inside.
struct OtherChannel {
  bool per_cpu = false;
  int wakeup = -1;                      // eventfd, or -1
  const CpuRings* cpu_rings = nullptr;  // with per_cpu
};

extern constinit OtherChannel other_channels[kOtherChannels];

// The channels whose events have their CPU with them, a bit each; as an OtherChannel written before an event's word
// names the channel, and not changed while a probe that saw the name is inside.
extern constinit std::atomic<std::uint32_t> channels_with_cpu;
inline bool has_cpu_context(unsigned channel) {
  // relaxed: ordered by the event's word that named the channel, acquire [K3]; or read under the control lock
  return (channels_with_cpu.load(std::memory_order_relaxed) >> channel & 1) != 0;
}

inline OtherChannel& other_channel(unsigned channel) {
  return other_channels[channel - kFastChannels];
}

// What an event has that is not for one such channel alone.
extern constinit const CpuRings no_cpu_rings[1];

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

// The ring of a CPU that we are on now. By the time of the write we may be elsewhere: its writers are atomic
// (MAXLAT_RING_CPU).
[[gnu::always_inline]] inline const maxlat_ring* ring_of_cpu(const OtherChannel& channel, unsigned number,
                                                             std::uint64_t cpu) {
  if (MAXLAT_LIKELY(cpu < channel.cpu_rings[0].count)) return channel.cpu_rings[1 + cpu].ring;
  lose_on_cpu(number);
  return nullptr;
}

}  // namespace maxlat::trace::detail
