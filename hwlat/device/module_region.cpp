// SPDX-License-Identifier: MIT
#include "module_region.hpp"

#include <algorithm>

namespace maxlat::hwlat {

namespace {

const maxlat_hwlat_cpu& shared_header(const std::byte* region) {
  return *reinterpret_cast<const maxlat_hwlat_cpu*>(region);
}

bool larger(const maxlat_hwlat_record& a, const maxlat_hwlat_record& b) {
  return gap_ns(a) > gap_ns(b);
}

// Whole words, one by one: the writer may be at them. acquire: what is read after the copy is read after each of them.
template <typename Struct>
Struct copy_words(const Struct& shared) {
  static_assert(sizeof(Struct) % sizeof(uint64_t) == 0 && alignof(Struct) == alignof(uint64_t));
  union {
    Struct copy;
    uint64_t words[sizeof(Struct) / sizeof(uint64_t)];
  } out;
  const auto* from = reinterpret_cast<const uint64_t*>(&shared);
  for (size_t i = 0; i < std::size(out.words); ++i) out.words[i] = __atomic_load_n(from + i, __ATOMIC_ACQUIRE);
  return out.copy;
}

// A copy of a slot if it holds number `wanted`, and did so before and after.
template <typename Slot, typename Number>
bool copy_slot(const Slot& slot, Number Slot::*number, uint64_t wanted, Slot& copy) {
  // acquire: pairs with the module's release (b); the members are those of that number or later ones
  if (__atomic_load_n(&(slot.*number), __ATOMIC_ACQUIRE) != wanted) return false;
  copy = copy_words(slot);
  // the second look comes after the copy: its acquire loads pair with the barrier behind (a)
  return __atomic_load_n(&(slot.*number), __ATOMIC_RELAXED) == wanted;
}

}  // namespace

bool ModuleRegion::valid() const {
  const maxlat_hwlat_cpu& header = shared_header(region_);
  return header.magic == MAXLAT_HWLAT_CPU_MAGIC && header.abi_version == MAXLAT_HWLAT_ABI_VERSION &&
         maxlat_histogram_valid(&histogram()) != 0;
}

void ModuleRegion::poll() {
  poll_records();
  poll_seconds();
}

void ModuleRegion::poll_records() {
  const auto* ring = reinterpret_cast<const maxlat_hwlat_record*>(region_ + MAXLAT_HWLAT_RECORDS_AT);
  const uint64_t newest = __atomic_load_n(&shared_header(region_).records, __ATOMIC_ACQUIRE);  // pairs with (c)
  if (newest > read_ + MAXLAT_HWLAT_RECORDS) {
    overwritten_ += newest - MAXLAT_HWLAT_RECORDS - read_;
    read_ = newest - MAXLAT_HWLAT_RECORDS;
  }
  while (read_ < newest) {
    maxlat_hwlat_record record;
    if (copy_slot(ring[read_ % MAXLAT_HWLAT_RECORDS], &maxlat_hwlat_record::sequence, read_ + 1, record))
      keep(record);
    else
      ++overwritten_;
    ++read_;
  }
}

void ModuleRegion::poll_seconds() {
  const auto* ring = reinterpret_cast<const maxlat_hwlat_second*>(region_ + MAXLAT_HWLAT_SECONDS_AT);
  for (size_t slot = 0; slot < MAXLAT_HWLAT_SECONDS; ++slot) {
    const uint64_t number = __atomic_load_n(&ring[slot].number, __ATOMIC_RELAXED);
    maxlat_hwlat_second second;
    if (number == 0 || !copy_slot(ring[slot], &maxlat_hwlat_second::number, number, second)) continue;
    if (seconds_.size() < number) seconds_.resize(number);
    seconds_[number - 1] = second.max_ticks;
  }
}

void ModuleRegion::keep(const maxlat_hwlat_record& record) {
  kept_.push_back(record);
  std::push_heap(kept_.begin(), kept_.end(), larger);
  if (kept_.size() <= largest_) return;
  std::pop_heap(kept_.begin(), kept_.end(), larger);
  kept_.pop_back();
}

maxlat_hwlat_cpu ModuleRegion::header() const {
  return copy_words(shared_header(region_));
}

const maxlat_histogram& ModuleRegion::histogram() const {
  return *reinterpret_cast<const maxlat_histogram*>(region_ + MAXLAT_HWLAT_HISTOGRAM_AT);
}

std::vector<maxlat_hwlat_record> ModuleRegion::kept_in_order_of_time() const {
  std::vector<maxlat_hwlat_record> records = kept_;
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return records;
}

}  // namespace maxlat::hwlat
