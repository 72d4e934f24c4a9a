// SPDX-License-Identifier: MIT
#include "container_plan.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace maxlat::trace {
namespace {

constexpr std::uint64_t kTableOffset = sizeof(maxlat_shm_header);

std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) {
  return (size + unit - 1) / unit * unit;
}

void copy_name(char (&to)[MAXLAT_SHM_NAME], std::string_view from) {
  std::memcpy(to, from.data(), std::min<std::size_t>(from.size(), MAXLAT_SHM_NAME - 1));
}

}  // namespace

ContainerPlan::ContainerPlan(std::uint32_t capacity)
    : capacity_(capacity), objects_end_(kTableOffset + std::uint64_t{capacity} * sizeof(maxlat_shm_entry)) {}

std::uint64_t ContainerPlan::add(PlannedObject object) {
  const std::uint64_t offset = round_up(objects_end_, MAXLAT_SHM_OBJECT_ALIGNMENT);
  objects_end_ = offset + object.size;
  objects_.push_back({std::move(object), offset});
  return offset;
}

void ContainerPlan::align(std::uint64_t unit) {
  objects_end_ = round_up(objects_end_, unit);
}

std::uint64_t ContainerPlan::place_behind(std::uint64_t size) {
  const std::uint64_t offset = total_size();
  behind_ += round_up(size, MAXLAT_SHM_PAGE);
  return offset;
}

std::uint64_t ContainerPlan::head_size() const {
  return round_up(objects_end_, MAXLAT_SHM_PAGE);
}

void ContainerPlan::publish(std::uint8_t* head, const ContainerIdentity& identity) const {
  maxlat_shm_header header{};
  header.major = MAXLAT_SHM_MAJOR;
  header.minor = MAXLAT_SHM_MINOR;
  header.header_size = sizeof header;
  header.entry_size = sizeof(maxlat_shm_entry);
  header.table_offset = kTableOffset;
  header.table_capacity = capacity_;
  header.head_size = head_size();
  header.total_size = total_size();
  std::copy(identity.uuid.begin(), identity.uuid.end(), header.uuid);
  header.pid = identity.pid;
  header.needed_features = identity.pid == 0 ? MAXLAT_SHM_COMMON : 0;
  header.pid_start_time = identity.pid_start_time;
  header.clock = identity.clock;
  copy_name(header.name, identity.name);
  copy_name(header.process, identity.process);
  auto& shared = *reinterpret_cast<maxlat_shm_header*>(head);
  shared = header;

  auto* entry = reinterpret_cast<maxlat_shm_entry*>(head + kTableOffset);
  for (const Placed& placed : objects_) {
    maxlat_shm_entry fields{};
    fields.kind = placed.object.kind;
    fields.layout_version = placed.object.layout_version;
    fields.id = placed.object.id;
    fields.offset = placed.offset;
    fields.size = placed.object.size;
    copy_name(fields.name, placed.object.name);
    publish_object(*entry++, fields);
  }
  // release [S5]: whoever finds the magic finds the rest. Partner: acquire [S5] in container.cpp. Shape: publish.
  __atomic_store_n(&shared.magic, MAXLAT_SHM_MAGIC, __ATOMIC_RELEASE);
}

void publish_object(maxlat_shm_entry& shared, const maxlat_shm_entry& fields) {
  using Word [[gnu::may_alias]] = std::uint64_t;
  // relaxed: one writer.
  const std::uint64_t before = __atomic_load_n(&shared.word, __ATOMIC_RELAXED);
  const std::uint64_t generation = ((before >> MAXLAT_SHM_GENERATION_SHIFT) + 1) << MAXLAT_SHM_GENERATION_SHIFT;
  __atomic_store_n(&shared.word, generation | MAXLAT_SHM_ENTRY_CHANGING, __ATOMIC_RELAXED);
  // release [S8]: CHANGING before the first new field. Partner: acquire [S8] in container.cpp. Shape: seqlock. Without
  // this, a reader could have fields of two objects and find the old word twice.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  const auto* from = reinterpret_cast<const Word*>(&fields);
  auto* to = reinterpret_cast<Word*>(&shared);
  static_assert(offsetof(maxlat_shm_entry, word) == 0);
  // relaxed, all: between the two fences of the word.
  for (std::size_t i = 1; i < sizeof fields / sizeof *to; ++i) __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
  // release [S6]: entry and object before LIVE. Partner: acquire [S6] in container.cpp. Shape: publish.
  __atomic_store_n(&shared.word, generation | MAXLAT_SHM_ENTRY_LIVE, __ATOMIC_RELEASE);
}

}  // namespace maxlat::trace
