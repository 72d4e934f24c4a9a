// SPDX-License-Identifier: MIT
#include "session/live_channels.hpp"

#include <errno.h>
#include <maxlat/ring/switch.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <urcu-bp.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <bit>

#include "session/threads.hpp"

namespace maxlat::trace {
namespace detail {

constinit OtherChannel other_channels[kOtherChannels];
constinit const CpuRings no_cpu_rings[1]{{0}};
constinit std::atomic<std::uint32_t> channels_with_cpu{0};
constinit std::atomic<std::uint32_t> running_channels{0};

namespace {

Channel* live_channels[kChannels];

// ThreadSanitizer cannot see into liburcu: that whoever waited for readers comes after them must be told to it.
#ifdef __SANITIZE_THREAD__
void readers_end() {
  __tsan_release(&live_channels);
}
void readers_have_ended() {
  __tsan_acquire(&live_channels);
}
#else
void readers_end() {}
void readers_have_ended() {}
#endif

class ReadLock {
 public:
  ReadLock() { urcu_bp_read_lock(); }
  ~ReadLock() {
    readers_end();
    urcu_bp_read_unlock();
  }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;
};

// REQUIRES: a ReadLock; or inside, in the list, and the number was seen to be running: then it stays.
Channel* channel_of(unsigned number) {
  return rcu_dereference(live_channels[number]);
}

bool is_running(unsigned number) {
  // acquire [K3]: as in a probe, probe.hpp.
  return (running_channels.load(std::memory_order_acquire) >> number & 1) != 0;
}

// REQUIRES: inside. RETURNS: the thread's ring in a channel that is running; else `nowhere`. In this order, as a probe:
// who stops the channel waits for whoever saw it running. The other way round the thread could have the ring of an
// earlier channel of the number in its hand, freed meanwhile, and then see that the number is running again.
const maxlat_ring* ring_in_running(ThreadState& thread, unsigned number) {
  return is_running(number) ? ring_place(thread, number) : &nowhere;
}

// REQUIRES: inside, in the list, wanted by the channel of that number.
void lose_in(unsigned number) {
  if (Channel* channel = channel_of(number)) channel->count_lost_no_ring();
}

// What probes call leaves errno as the program knows it.
class ErrnoKept {
 public:
  ErrnoKept() : before_(errno) {}
  ~ErrnoKept() { errno = before_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  const int before_;
};

// REQUIRES: inside, registered. RETURNS: the thread's ring, claimed now if it had none; null: none to be had. A probe
// of a thread that was refused one looks at a single slot.
const maxlat_ring* claim_in(unsigned number, Caller caller) {
  ThreadState& thread = thread_state;
  const Busy busy;
  const maxlat_ring*& place = ring_place(thread, number);
  if (place != &nowhere) return place;  // a handler was faster
  Channel* channel = channel_of(number);
  if (channel == nullptr || !is_running(number)) return nullptr;
  std::uint16_t& refused = thread.refused[number];
  if (caller == Caller::program) refused = 0;
  const maxlat_ring* ring = channel->claim(this_thread_id(), &refused);
  if (ring != nullptr) place = ring;
  return ring;
}

// REQUIRES: inside, registered, refused a ring for want of a slot. RETURNS: the slot whose turn it is to be looked at
// can be claimed; the next event looks at the next one.
bool slot_is_free(unsigned number) {
  Channel* channel = channel_of(number);
  std::uint16_t& next = thread_state.refused[number];
  if (channel == nullptr || channel->may_be_taken(next - 1u)) return channel != nullptr;
  next = static_cast<std::uint16_t>(next % channel->slots() + 1);
  return false;
}

}  // namespace

bool register_in_probe() {
  const ErrnoKept errno_kept;
  return !thread_state.busy && register_thread(Caller::probe);
}

const maxlat_ring* claim_ring(unsigned number) {
  const ErrnoKept errno_kept;
  ThreadState& thread = thread_state;
  // Where it was refused one: a look without a system call first, because it is for every event.
  const std::uint16_t refused = thread.refused[number];
  const bool hopeless = refused == kNoMemory || (refused != 0 && !slot_is_free(number));
  if (!hopeless && !thread.busy && !thread.ended) {
    if (const maxlat_ring* ring = claim_in(number, Caller::probe)) return ring;
    if (!is_running(number)) return nullptr;  // was stopped meanwhile: not an event of it
  }
  lose_in(number);
  return nullptr;
}

void lose(const std::atomic<std::uint32_t>& wanted_by) {
  const ErrnoKept errno_kept;
  const Guest guest;
  // acquire [K3]: as in a probe that is in the list. Partner: release [K3] in session_core.cpp.
  std::uint32_t wanted = wanted_by.load(std::memory_order_acquire);
  for (; wanted != 0; wanted &= wanted - 1) lose_in(static_cast<unsigned>(std::countr_zero(wanted)));
}

void lose_on_cpu(unsigned number) {
  const ErrnoKept errno_kept;
  lose_in(number);
}

void wake_consumer(const OtherChannel& channel, const maxlat_ring* ring, const maxlat_ring_record& record) {
  const std::uint64_t position = record.slot.position;
  if ((position & ring->shape.sub_buffer_mask) != MAXLAT_RING_PACKET_HEADER) return;
  const ErrnoKept errno_kept;
  const std::uint64_t one = 1;
  // Not write(): that is a cancellation point. It fails when the counter is full: then the consumer was told before.
  syscall(SYS_write, channel.wakeup, &one, sizeof(one));
}

void deliver_and_leave(const maxlat_ring* ring, std::uint64_t position, std::uint64_t committed) {
  const std::uint64_t commit = committed + MAXLAT_RING_ONE_RECORD;
  const auto ownership = (ring->features & MAXLAT_RING_SHARED_WRITERS) != 0 ? MAXLAT_RING_CPU : MAXLAT_RING_THREAD;
  if (maxlat_ring_filled(&ring->shape, position, commit)) maxlat_ring_deliver(ownership, ring, position, commit);
  leave(thread_state);
}

// The list is left under the read lock: a channel that goes away earlier has taken its ring from us (forget_rings), and
// one that does so later waits for us before its number can name another.
void end_rings_of_this_thread(void (*leave_list)()) {
  ThreadState& thread = thread_state;
  const ReadLock lock;
  leave_list();
  for (unsigned number = 0; number < kChannels; ++number) {
    const maxlat_ring*& place = ring_place(thread, number);
    if (place == &nowhere) continue;
    Channel* channel = channel_of(number);
    if (channel != nullptr) channel->end(place);
    place = &nowhere;
  }
}

base::Status enter_channel(Channel& channel) {
  const bool fast = !channel.per_cpu() && !channel.wakes();
  const unsigned first = fast ? 0 : kFastChannels;
  const unsigned end = fast ? kFastChannels : kChannels;
  for (unsigned number = first; number < end; ++number) {
    if (live_channels[number] != nullptr) continue;
    channel.set_number(number);
    // relaxed, both: nobody else writes it, and no event names the channel yet
    const std::uint32_t others = channels_with_cpu.load(std::memory_order_relaxed) & ~(1u << number);
    channels_with_cpu.store(others | (channel.has_cpu_context() ? 1u << number : 0), std::memory_order_relaxed);
    rcu_assign_pointer(live_channels[number], &channel);
    return {};
  }
  return base::Error{"no more than 16 channels of this kind can live at a time", "destroy another session"};
}

void prepare_channel(Channel& channel) {
  if (channel.per_cpu()) {
    if (any_thread_is_prepared()) (void)channel.lock_cpu_rings();
    return;
  }
  while (const std::uint32_t thread = prepared_thread_without_ring(channel.number())) {
    std::uint16_t refused = 0;
    const maxlat_ring* ring = channel.claim(thread, &refused);
    if (ring == nullptr) return;
    (void)channel.lock_pages(ring);
    maxlat_ring_open_ahead(MAXLAT_RING_THREAD, ring);  // nobody else has the ring yet
    if (!give_ring_to(thread, channel.number(), ring)) channel.end(ring);
  }
}

void remove_channel(Channel& channel) {
  if (channel.number() == kChannels) return;
  forget_rings(channel.number());
  rcu_assign_pointer(live_channels[channel.number()], nullptr);
  urcu_bp_synchronize_rcu();
  readers_have_ended();
  channel.set_number(kChannels);
}

void forget_all_channels() {
  running_channels.store(0, std::memory_order_relaxed);  // relaxed: one thread in the world
  for (unsigned number = 0; number < kChannels; ++number) {
    live_channels[number] = nullptr;
    ring_place(thread_state, number) = &nowhere;
    thread_state.refused[number] = 0;
  }
}

}  // namespace detail

bool prepare_thread() {
  using namespace detail;
  make_ready_for_threads();
  ThreadState& thread = thread_state;
  if (!register_thread(Caller::program)) return false;
  mark_as_prepared();
  bool all = true;
  enter(thread);
  for (unsigned number = 0; number < kChannels; ++number) {
    if (!is_running(number)) continue;
    Channel* channel = channel_of(number);
    if (channel == nullptr) continue;
    if (channel->per_cpu()) {
      all = channel->lock_cpu_rings() && all;
      continue;
    }
    const maxlat_ring* ring = claim_in(number, Caller::program);
    all = ring != nullptr && channel->lock_pages(ring) && all;
  }
  // Last, when no more pages are made: so that what the first event touches is still near.
  for (unsigned number = 0; number < kChannels; ++number) {
    const maxlat_ring* ring = ring_in_running(thread, number);
    if (ring != &nowhere) maxlat_ring_open_ahead(MAXLAT_RING_THREAD, ring);
  }
  leave(thread);
  return all;
}

void flush() {
  using namespace detail;
  ThreadState& thread = thread_state;
  enter(thread);
  for (unsigned number = 0; number < kChannels; ++number) {
    const maxlat_ring* ring = ring_in_running(thread, number);
    if (ring != &nowhere) maxlat_ring_flush(MAXLAT_RING_THREAD, ring);
  }
  // Who is not in the list has traced nothing, and nobody waits for it.
  for (unsigned number = kFastChannels; thread.registered && number < kChannels; ++number) {
    if (!is_running(number) || !other_channel(number).per_cpu) continue;
    const CpuRings* rings = other_channel(number).cpu_rings;
    const std::uint64_t cpu = current_cpu();
    if (cpu < rings[0].count) maxlat_ring_flush(MAXLAT_RING_CPU, rings[1 + cpu].ring);
  }
  leave(thread);
}

}  // namespace maxlat::trace
