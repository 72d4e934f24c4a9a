// SPDX-License-Identifier: MIT
//
// The producer's side of a container: where everything lies, then header and table written and published. Layout and
// order of publication: container_layout.h.
//
//   ContainerPlan plan(2);
//   const std::uint64_t one = plan.add({.kind = ..., .size = ...});   objects first, they are the head
//   const std::uint64_t text = plan.place_behind(capacity);           then what they refer to
//   ... a file of plan.total_size(), its head mapped, the objects written at their offsets ...
//   plan.publish(head, identity);
//
// THREADS: one. No system calls; add() allocates, publish() and publish_object() do not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "container_layout.h"

namespace maxlat::trace {

struct PlannedObject {
  std::uint32_t kind = 0;
  std::uint32_t layout_version = 0;
  std::uint32_t id = 0;
  std::uint64_t size = 0;
  std::string name;
};

// Who hands the memory over.
struct ContainerIdentity {
  std::string name;
  std::string process;
  std::uint32_t pid = 0;  // 0: it will be several processes' (MAXLAT_SHM_COMMON)
  std::uint64_t pid_start_time = 0;
  std::array<std::uint8_t, 16> uuid{};
  maxlat_shm_clock clock{};
};

class ContainerPlan {
 public:
  // For at most so many objects.
  explicit ContainerPlan(std::uint32_t capacity);

  // RETURNS: the object's offset. REQUIRES: not more than the capacity, and no place_behind() before.
  std::uint64_t add(PlannedObject object);
  // What is added next begins with a multiple of this.
  void align(std::uint64_t unit);
  // RETURNS: the offset of whole pages behind the head.
  std::uint64_t place_behind(std::uint64_t size);

  std::uint64_t head_size() const;
  std::uint64_t total_size() const { return head_size() + behind_; }

  // Header, entries, and last the magic number. `head`: zeros, but for the objects, which are whole.
  void publish(std::uint8_t* head, const ContainerIdentity& identity) const;

 private:
  struct Placed {
    PlannedObject object;
    std::uint64_t offset;
  };
  std::uint32_t capacity_;
  std::vector<Placed> objects_;
  std::uint64_t objects_end_;
  std::uint64_t behind_ = 0;
};

// Makes the entry say what `fields` say, in its next generation; `fields.word` is not used. REQUIRES: one writer at a
// time; the object is whole. A reader sees the old entry, none or the new one.
void publish_object(maxlat_shm_entry& shared, const maxlat_shm_entry& fields);

}  // namespace maxlat::trace
