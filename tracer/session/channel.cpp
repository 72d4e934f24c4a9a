// SPDX-License-Identifier: MIT
#include "session/channel.hpp"

#include <fcntl.h>
#include <maxlat/ring/switch.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <maxlat/trace/ctf_format.hpp>

#include "session/threads.hpp"
#include "shm/memory_nodes.hpp"

namespace maxlat::trace::detail {
namespace {

// The word with another state; generation and READING stay.
std::uint64_t with_state(std::uint64_t word, std::uint64_t state) {
  return (word & ~std::uint64_t{MAXLAT_SHM_STATE_MASK}) | state;
}

// The name of another thread, where it still is one.
void name_of(std::uint32_t thread, char (&name)[16]) {
  name[0] = 0;
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/comm";
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return;
  const ssize_t got = read(file.number(), name, sizeof name);
  name[got > 0 ? got - 1 : 0] = 0;  // in place of its line's end
}

}  // namespace

std::uint32_t this_thread_id() {
  return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

base::Result<ChannelLayout> layout_of(const ChannelOptions& options) {
  const auto wrong = [&](const std::string& what, const std::string& hint) {
    return base::Error{"channel " + options.name + ": " + what, hint};
  };
  ChannelLayout layout;
  layout.name = options.name;
  if (!std::has_single_bit(options.sub_buffer_size) ||
      std::countr_zero(options.sub_buffer_size) < static_cast<int>(MAXLAT_RING_MIN_SUB_BUFFER_BITS) ||
      std::countr_zero(options.sub_buffer_size) > static_cast<int>(MAXLAT_RING_MAX_SUB_BUFFER_BITS)) {
    return wrong("a sub-buffer of " + std::to_string(options.sub_buffer_size) + " bytes",
                 "a power of two from " + std::to_string(1u << MAXLAT_RING_MIN_SUB_BUFFER_BITS) + " to " +
                     std::to_string(1u << MAXLAT_RING_MAX_SUB_BUFFER_BITS));
  }
  if (!std::has_single_bit(options.sub_buffers) ||
      std::countr_zero(options.sub_buffers) < static_cast<int>(MAXLAT_RING_MIN_RING_BITS) ||
      std::countr_zero(options.sub_buffers) > static_cast<int>(MAXLAT_RING_MAX_RING_BITS)) {
    return wrong(std::to_string(options.sub_buffers) + " sub-buffers",
                 "a power of two from " + std::to_string(1u << MAXLAT_RING_MIN_RING_BITS) + " to " +
                     std::to_string(1u << MAXLAT_RING_MAX_RING_BITS));
  }
  layout.sub_buffer_bits = static_cast<std::uint32_t>(std::countr_zero(options.sub_buffer_size));
  layout.ring_bits = static_cast<std::uint32_t>(std::countr_zero(options.sub_buffers));
  layout.ring_features = (options.when_full == FullBuffer::overwrite ? MAXLAT_RING_OVERWRITE : 0) |
                         (options.ownership == Ownership::per_cpu ? MAXLAT_RING_SHARED_WRITERS : 0);
  layout.ownership = options.ownership == Ownership::per_cpu ? MAXLAT_SHM_PER_CPU : MAXLAT_SHM_PER_THREAD;
  layout.delivery = options.delivery == Delivery::wakeup ? MAXLAT_SHM_WAKEUP : MAXLAT_SHM_TIMER;
  layout.slots = options.ownership == Ownership::per_cpu ? static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_CONF))
                                                         : options.slots;
  if (options.context == Context::cpu && options.ownership == Ownership::per_cpu)
    return wrong("the CPU of each event, with rings per CPU", "each ring is one CPU's: leave the context out");
  if (layout.slots == 0 || layout.slots > MAXLAT_SHM_MAX_SLOTS) {
    return wrong(std::to_string(layout.slots) + " slots", "from 1 to " + std::to_string(MAXLAT_SHM_MAX_SLOTS));
  }
  return layout;
}

Books books_of(const maxlat_ring& ring) {
  // relaxed, all: exact when nobody writes, recent otherwise.
  Books books;
  books.lost_full = maxlat_ring_load(&ring.header->lost_full);
  books.lost_wrap = maxlat_ring_load(&ring.header->lost_wrap);
  books.lost_big = maxlat_ring_load(&ring.header->lost_big);
  books.recorded = maxlat_ring_load(&ring.header->records_delivered);
  const std::uint64_t position = maxlat_ring_load(ring.write_count);
  if ((position & ring.shape.sub_buffer_mask) != 0) {  // the open packet's
    const std::uint64_t place = maxlat_ring_index(&ring.shape, position);
    books.recorded += maxlat_ring_records_between(maxlat_ring_load(&ring.cells[place].commit_seq),
                                                  maxlat_ring_load(maxlat_ring_commit_count(&ring, place)));
  }
  return books;
}

Channel::Channel(SessionFile& file, std::uint32_t index, const ChannelOptions& options)
    : file_(file), index_(index), options_(options), slots_(file.layout(index).slots), slot_(new Slot[slots_]{}) {}

Channel::~Channel() {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    if (void* where = mapping_of(slot)) file_.unmap_ring(index_, where);
  }
}

std::uint32_t Channel::index_of(const maxlat_ring* ring) const {
  return static_cast<std::uint32_t>(static_cast<const Slot*>(ring) - slot_.get());
}

void* Channel::mapping_of(std::uint32_t slot) const {
  return slot_[slot].mapping.load(std::memory_order_acquire);  // acquire [K4]: make_ring()
}

// Channels that discard: for the consumer. Others: while what ended threads left may be what a snapshot was asked for
// because of.
bool Channel::keeps_ended() const {
  return options_.when_full != FullBuffer::overwrite || maxlat_ring_expects_snapshot(&file_.session().freeze);
}

// Makes the slot ours, if it is in that state and no consumer is reading it. One that ended keeps its packets until
// then; its next life is another generation.
bool Channel::take(std::uint32_t slot, std::uint64_t from_state) {
  std::uint64_t* word = &file_.slots(index_)[slot].word;
  std::uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);  // relaxed: the CAS decides
  if ((seen & (MAXLAT_SHM_STATE_MASK | MAXLAT_SHM_READING)) != from_state) return false;
  const std::uint64_t generation = (seen >> MAXLAT_SHM_GENERATION_SHIFT) + (from_state == MAXLAT_SHM_ENDED ? 1 : 0);
  // acquire [S4]: whoever freed the slot is done with its memory. Partner: release [S4], the consumer's step to FREE.
  // Shape: publish. Without it the consumer's hole could be punched under the new ring.
  return __atomic_compare_exchange_n(word, &seen, generation << MAXLAT_SHM_GENERATION_SHIFT | MAXLAT_SHM_CLAIMED, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// A slot that was taken from ENDED: its ring's memory is about to go, and with it the books.
void Channel::keep_books_of_replaced(std::uint32_t slot) {
  maxlat_ring_header ring;
  if (!file_.read_ring_header(index_, slot, &ring)) return;
  maxlat_shm_channel& shared = file_.channel(index_);
  // relaxed, all: counters, seen with the slot's next state [S1].
  const std::uint64_t unread =
      ring.records_delivered > ring.records_read ? ring.records_delivered - ring.records_read : 0;
  __atomic_fetch_add(&shared.replaced_unread, unread, __ATOMIC_RELAXED);
  __atomic_fetch_add(&shared.replaced_lost_full, ring.lost_full, __ATOMIC_RELAXED);
  __atomic_fetch_add(&shared.replaced_lost_wrap, ring.lost_wrap, __ATOMIC_RELAXED);
  __atomic_fetch_add(&shared.replaced_lost_big, ring.lost_big, __ATOMIC_RELAXED);
}

int Channel::node_of_writer(std::uint32_t owner) const {
  const MemoryNodes& nodes = memory_nodes();
  if (!nodes.several()) return kNoNode;
  if (per_cpu()) return nodes.of_cpu(owner);
  return owner == this_thread_id() ? node_of_this_cpu() : nodes.of_thread(owner);
}

bool Channel::make_ring(std::uint32_t slot, std::uint32_t owner) {
  void* where = file_.map_ring(index_, slot, node_of_writer(owner));
  if (where == nullptr) return false;
  const maxlat_shm_channel& layout = file_.layout(index_);
  maxlat_ring_options options{};
  options.features = layout.ring_features;
  options.sub_buffer_bits = layout.sub_buffer_bits;
  options.ring_bits = layout.ring_bits;
  options.owner = owner;
  const auto prefix = packet_prefix(file_.uuid(), index_, owner | std::uint64_t{slot} << 32);
  std::copy(prefix.begin(), prefix.end(), options.prefix);
  if (!maxlat_ring_create(&slot_[slot], where, maxlat_ring_size(&options), &options)) {
    file_.unmap_ring(index_, where);
    return false;
  }
  slot_[slot].freeze = &file_.session().freeze;
  // release [K4]: the view before the word that says there is one. Partner: acquire [K4] in mapping_of(), which
  // status() may ask while threads claim. Shape: publish.
  slot_[slot].mapping.store(where, std::memory_order_release);
  maxlat_shm_slot& shared = file_.slots(index_)[slot];
  shared.owner = owner;
  if (per_cpu()) {
    shared.name[0] = 0;
  } else if (owner == this_thread_id()) {
    prctl(PR_GET_NAME, shared.name);
  } else {
    name_of(owner, shared.name);
  }
  // relaxed: the slot is ours alone. release [S1]: the ring before the word that says it is one. Partner: acquire [S1]
  // where the consumer reads the slot. Shape: publish.
  const std::uint64_t word = __atomic_load_n(&shared.word, __ATOMIC_RELAXED);
  __atomic_store_n(&shared.word, with_state(word, MAXLAT_SHM_LIVE), __ATOMIC_RELEASE);
  return true;
}

void Channel::give_up(std::uint32_t slot) {
  std::uint64_t* word = &file_.slots(index_)[slot].word;
  // relaxed: the slot is ours alone. release [S1]: the books of the ring that was here before the word that says it is
  // gone. Partner: acquire [S1] where the consumer reads the slot. The same generation: it was no ring.
  __atomic_store_n(word, with_state(__atomic_load_n(word, __ATOMIC_RELAXED), MAXLAT_SHM_FREE), __ATOMIC_RELEASE);
}

const maxlat_ring* Channel::claim(std::uint32_t owner, std::uint16_t* refused) {
  const std::uint32_t from = *refused == 0 ? 0 : *refused - 1u;
  const std::uint32_t end = *refused == 0 ? slots_ : from + 1;
  *refused = 1;
  for (const auto state : {MAXLAT_SHM_FREE, MAXLAT_SHM_ENDED}) {
    if (state == MAXLAT_SHM_ENDED && keeps_ended()) break;
    for (std::uint32_t slot = from; slot < end; ++slot) {
      if (!take(slot, state)) continue;
      if (state == MAXLAT_SHM_ENDED) keep_books_of_replaced(slot);
      const bool made = make_ring(slot, owner);
      *refused = made ? 0 : kNoMemory;
      if (made) return &slot_[slot];
      give_up(slot);
      return nullptr;
    }
  }
  return nullptr;
}

bool Channel::may_be_taken(std::uint32_t slot) const {
  if (slot >= slots_) return false;
  // relaxed: take() decides.
  const std::uint64_t word = __atomic_load_n(&file_.slots(index_)[slot].word, __ATOMIC_RELAXED);
  const std::uint64_t state = word & (MAXLAT_SHM_STATE_MASK | MAXLAT_SHM_READING);
  return state == MAXLAT_SHM_FREE || (state == MAXLAT_SHM_ENDED && !keeps_ended());
}

base::Status Channel::make_cpu_rings() {
  cpu_rings_.reset(new CpuRings[1 + slots_]{{slots_}});
  for (std::uint32_t cpu = 0; cpu < slots_; ++cpu) {
    if (!take(cpu, MAXLAT_SHM_FREE) || !make_ring(cpu, cpu)) {
      return base::Error{"channel " + options_.name + ": no memory for the ring of CPU " + std::to_string(cpu),
                         "smaller or fewer sub-buffers"};
    }
    cpu_rings_[1 + cpu].ring = &slot_[cpu];
  }
  return {};
}

void Channel::open_cpu_rings() {
  for (std::uint32_t cpu = 0; cpu < slots_; ++cpu) maxlat_ring_open_ahead(MAXLAT_RING_CPU, &slot_[cpu]);
}

OtherChannel Channel::for_probes(int wakeup) const {
  return {per_cpu(), wakes() ? wakeup : -1, cpu_rings_.get()};
}

bool Channel::lock_pages(const maxlat_ring* ring) const {
  return mlock(mapping_of(index_of(ring)), file_.layout(index_).ring_stride) == 0;
}

bool Channel::lock_cpu_rings() const {
  bool all = true;
  for (std::uint32_t cpu = 0; cpu < slots_; ++cpu) all = lock_pages(&slot_[cpu]) && all;
  return all;
}

void Channel::count_lost_no_ring() {
  // relaxed: a counter.
  __atomic_fetch_add(&file_.channel(index_).lost_no_ring, 1, __ATOMIC_RELAXED);
}

void Channel::finalise(std::uint32_t slot) {
  Slot& mine = slot_[slot];
  void* mapping = mapping_of(slot);
  if (mapping == nullptr) return;
  maxlat_ring_finalise(writers(), &mine);
  const Books books = books_of(mine);
  ended_.recorded += books.recorded;
  ended_.lost_full += books.lost_full;
  ended_.lost_wrap += books.lost_wrap;
  ended_.lost_big += books.lost_big;
  mine.mapping.store(nullptr, std::memory_order_relaxed);  // relaxed: whoever asks next has rings_lock, or claims
  file_.unmap_ring(index_, mapping);
  std::uint64_t* word = &file_.slots(index_)[slot].word;
  // release [S3]: everything in the ring before ENDED. An add, because the consumer may mark the word as read
  // meanwhile. Partner: acquire [S3] where the consumer reads the slot. Shape: publish.
  __atomic_fetch_add(word, MAXLAT_SHM_ENDED - MAXLAT_SHM_LIVE, __ATOMIC_RELEASE);
}

void Channel::end(const maxlat_ring* ring) {
  const std::lock_guard lock(rings_lock_);
  const std::uint32_t slot = index_of(ring);
  if (mapping_of(slot) == nullptr) return;  // the session was destroyed meanwhile
  std::uint64_t name[2] = {};
  prctl(PR_GET_NAME, name);
  // relaxed: before finalise()'s release [F1].
  for (int i = 0; i < 2; ++i) maxlat_ring_store(&ring->header->name_at_end[i], name[i]);
  finalise(slot);
}

void Channel::flush_all() {
  const std::lock_guard lock(rings_lock_);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    if (mapping_of(slot) != nullptr) maxlat_ring_flush(writers(), &slot_[slot]);
  }
}

void Channel::finalise_all() {
  const std::lock_guard lock(rings_lock_);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) finalise(slot);
}

void Channel::forget(bool in_a_probe) {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    void* mapping = mapping_of(slot);
    if (mapping == nullptr) continue;
    const bool in_use = in_a_probe && (per_cpu() || ring_place(thread_state, number_) == &slot_[slot]);
    if (in_use && file_.make_ring_private(index_, mapping)) continue;
    file_.unmap_ring(index_, mapping);
    slot_[slot].mapping.store(nullptr, std::memory_order_relaxed);  // relaxed: one thread in the world
  }
}

ChannelStatus Channel::status() const {
  const std::lock_guard lock(rings_lock_);
  ChannelStatus status{options_.name, ended_, 0, slots_};
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    if (mapping_of(slot) == nullptr) continue;
    const Books books = books_of(slot_[slot]);
    status.books.recorded += books.recorded;
    status.books.lost_full += books.lost_full;
    status.books.lost_wrap += books.lost_wrap;
    status.books.lost_big += books.lost_big;
    ++status.slots_used;
  }
  // relaxed: a counter.
  status.books.lost_no_ring = __atomic_load_n(&file_.channel(index_).lost_no_ring, __ATOMIC_RELAXED);
  return status;
}

}  // namespace maxlat::trace::detail
