// SPDX-License-Identifier: MIT
//
// One channel of a started session: its slots, the rings in them, and who may touch a ring when.
//
//   free slot -> claim() by a thread -> it alone writes -> end() by the same thread, or finalise() by the control side
//
//                       claim     the thread's probes     end       flush, finalise, books
//   claim                 -               -                -                  O
//   the thread's probes                   -                -                  O
//   end                                                    -                  L
//   flush, finalise                                                           C
//   -: no exclusion needed (slots are claimed by CAS)   O: the control side has waited until all threads are outside
//   (threads.hpp), and claim happens inside   L: rings_lock   C: the control lock (control_lock.hpp)
//
// A slot's own side of things (view, mapping) is in this process; state, generation and owner are in shared memory.
// FAILURE: a consumer that scribbles on the slot table can make claims fail or a slot be used that it is reading; the
// mapping and the sizes are ours.
#pragma once

#include <maxlat/ring/layout.h>

#include <atomic>
#include <cstdint>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/other_channel.hpp>
#include <maxlat/trace/session.hpp>
#include <memory>
#include <mutex>

#include "session/priority_mutex.hpp"
#include "shm/session_file.hpp"

namespace maxlat::trace::detail {

class Channel {
 public:
  Channel(SessionFile& file, std::uint32_t index, const ChannelOptions& options);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // The number by which probes know it, from start to destruction.
  void set_number(unsigned number) { number_ = number; }
  unsigned number() const { return number_; }

  // A ring per CPU: all of them, now.
  base::Status make_cpu_rings();
  // Each with its first packet opened, or the next one, so that no event need do that. REQUIRES: nobody is inside: the
  // ring of another CPU has no time order with a writer there (ring/reserve.h).
  void open_cpu_rings();
  OtherChannel for_probes(int wakeup) const;

  // Per thread: a ring for the thread `owner`. Async-signal-safe for the calling thread. `refused`:
  // ThreadState::refused of the thread. RETURNS: null: no slot, or no memory, and then *refused says which. Where it
  // said before that there was no slot: looks at the one whose turn it is.
  const maxlat_ring* claim(std::uint32_t owner, std::uint16_t* refused);
  // A look at a slot: it is one for claim(). Without a system call.
  bool may_be_taken(std::uint32_t slot) const;
  std::uint32_t slots() const { return slots_; }
  // The claimed ring's thread writes no more: finalised, unmapped, its slot handed to the consumer.
  void end(const maxlat_ring* ring);
  // Makes a claimed ring's pages, or those of all CPUs' rings, stay in memory. RETURNS: false: RLIMIT_MEMLOCK.
  bool lock_pages(const maxlat_ring* ring) const;
  bool lock_cpu_rings() const;

  void count_lost_no_ring();

  // In the child of a fork(): the rings are the parent's. What a probe of this thread may be in, if it is in one,
  // becomes memory that nobody else sees; the rest is unmapped. From then on: the destructor.
  void forget(bool in_a_probe);

  // REQUIRES: as in the table above.
  void flush_all();
  void finalise_all();
  ChannelStatus status() const;

  bool per_cpu() const { return options_.ownership == Ownership::per_cpu; }
  bool has_cpu_context() const { return options_.context == Context::cpu; }
  bool wakes() const { return options_.delivery == Delivery::wakeup; }

 private:
  // What is known here of a slot. The view comes first: a probe's ring leads back to its slot. A line of its own: the
  // common path reads 64 bytes of the view, and should miss the caches once.
  struct alignas(64) Slot : maxlat_ring {
    std::atomic<void*> mapping{nullptr};  // null: no ring here
  };

  std::uint32_t index_of(const maxlat_ring* ring) const;
  void* mapping_of(std::uint32_t slot) const;
  bool keeps_ended() const;
  bool take(std::uint32_t slot, std::uint64_t from_state);
  void keep_books_of_replaced(std::uint32_t slot);
  bool make_ring(std::uint32_t slot, std::uint32_t owner);
  int node_of_writer(std::uint32_t owner) const;
  void give_up(std::uint32_t slot);
  void finalise(std::uint32_t slot);
  maxlat_ring_ownership writers() const { return per_cpu() ? MAXLAT_RING_CPU : MAXLAT_RING_THREAD; }

  SessionFile& file_;
  const std::uint32_t index_;  // in the session
  const ChannelOptions options_;
  unsigned number_ = kChannels;
  std::uint32_t slots_;
  std::unique_ptr<Slot[]> slot_;
  std::unique_ptr<CpuRings[]> cpu_rings_;  // as probes want them
  mutable PriorityMutex rings_lock_;       // a thread's end, which may be a real-time one's, against the control side
  Books ended_;                            // of rings that are finalised
};

std::uint32_t this_thread_id();

// What is in a ring's own books. Exact when nobody is inside.
Books books_of(const maxlat_ring& ring);

// The ring's shape for an options' sizes. ERRORS: what a user got wrong, in one line.
base::Result<ChannelLayout> layout_of(const ChannelOptions& options);

}  // namespace maxlat::trace::detail
