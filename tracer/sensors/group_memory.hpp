// SPDX-License-Identifier: MIT
//
// A group's way into memory that others can see, as far as it is the same for a group of one process (group.cpp) and of
// several (common_group.cpp):
//
//   1. make()           a memfd of the right size, mapped; it is planned where everything lies
//   2. seal()           against another size, for good. Mapped first, sealed then: this process has it
//   3. fill()           the pages' copy, then the header that says that it is there
//   4. put_in_place()   the memory in the place of the pages. The last step, for there is no way back
//
// Until the last one nothing has happened to the group. THREADS: one a memory.
#pragma once

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <string_view>
#include <vector>

#include "sensors/group_layout.hpp"
#include "shm/container_plan.hpp"

namespace maxlat::sensors::detail {

enum class Producers { this_process, several };

// What is to be settled in a copy of a group (sensor_kind.hpp).
struct SettledSensor {
  std::uint64_t offset;
  void (*settle)(std::uint8_t* copy, const std::uint8_t* original);
};
// Both are the group's beginning; `original` may be null, as there. Async-signal-safe.
void settle(std::uint8_t* copy, const std::uint8_t* original, const std::vector<SettledSensor>& sensors);

// What a common group says in the place of its program.
inline constexpr const char* kCommonProgram = "common";

class GroupMemory {
 public:
  // `pages`: a page's beginning; `bytes`: of the sensors. ERRORS: not a name, not only sensors, too much, the system's.
  static base::Result<GroupMemory> make(const void* pages, std::size_t bytes, std::string_view name);

  const std::vector<PlacedSensor>& sensors() const { return sensors_; }
  std::vector<SettledSensor> settled_sensors() const;
  int descriptor() const { return memory_.number(); }
  base::Descriptor take_descriptor() { return std::move(memory_); }
  std::uint64_t at() const { return at_; }                          // where the group begins
  std::uint64_t bytes() const { return plan_.total_size() - at_; }  // of the group, in whole pages

  base::Status seal(Producers producers) const;
  void fill(const void* pages, std::size_t bytes, std::string_view name, Producers producers);
  base::Status put_in_place(void* pages);
  // The same of another memory, which is made as this one is.
  base::Status put_other_in_place(int descriptor, void* pages) const;

 private:
  GroupMemory(std::vector<PlacedSensor> sensors, trace::ContainerPlan plan, std::uint64_t at)
      : sensors_(std::move(sensors)), plan_(std::move(plan)), at_(at) {}

  std::vector<PlacedSensor> sensors_;
  trace::ContainerPlan plan_;
  std::uint64_t at_ = 0;
  base::Descriptor memory_;
  base::Mapping table_, group_;
};

}  // namespace maxlat::sensors::detail
