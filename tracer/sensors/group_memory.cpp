// SPDX-License-Identifier: MIT
#include "sensors/group_memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <maxlat/base/process_start.hpp>
#include <maxlat/sensors/sensor_kind.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/ctf_format.hpp>

#include "shm/file_size_limit.hpp"
#include "shm/reserve_memory.hpp"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace maxlat::sensors::detail {
namespace {

// What the header says of us. No clock: a value has no time.
trace::ContainerIdentity identity_of(std::string_view name, Producers producers) {
  trace::ContainerIdentity identity;
  identity.name = name;
  identity.uuid = trace::random_uuid();
  identity.process = kCommonProgram;
  if (producers == Producers::several) return identity;
  identity.process = *program_invocation_short_name != 0 ? program_invocation_short_name : "unknown";
  identity.pid = static_cast<std::uint32_t>(getpid());
  identity.pid_start_time = base::start_time_of(getpid());
  return identity;
}

// Where everything lies: a table, then the group from a page on.
trace::ContainerPlan plan_of(const std::vector<PlacedSensor>& sensors, std::uint64_t& group) {
  trace::ContainerPlan plan(static_cast<std::uint32_t>(sensors.size()));
  plan.align(MAXLAT_SENSOR_PAGE);
  std::uint32_t id = 0;
  for (const PlacedSensor& sensor : sensors) {
    const std::uint64_t offset = plan.add({.kind = sensor.head.kind,
                                           .layout_version = sensor.head.layout_version,
                                           .id = id++,
                                           .size = sensor.head.size,
                                           .name = text_of(sensor.head.name)});
    if (id == 1) group = offset;
  }
  plan.align(MAXLAT_SENSOR_PAGE);
  return plan;
}

base::Result<base::Descriptor> make_memory(std::string_view name, std::uint64_t bytes) {
  const base::Status allowed = trace::check_file_size_limit("a group's memory", bytes, "raise it (ulimit -f)");
  if (!allowed) return allowed.error();
  const std::string called = "maxlat-sensors:" + std::string(name);
  base::Descriptor memory(memfd_create(called.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return base::system_error("cannot make shared memory", errno);
  const auto size = static_cast<off_t>(bytes);
  if (ftruncate(memory.number(), size) != 0 || trace::reserve_memory(memory.number(), 0, 0, size) != 0)
    return base::system_error("no memory to share", errno);
  return memory;
}

base::Result<base::Mapping> map_part(int memory, std::uint64_t at, std::uint64_t bytes) {
  constexpr int kFlags = MAP_SHARED | MAP_POPULATE;
  void* where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, memory, static_cast<off_t>(at));
  if (where == MAP_FAILED) return base::system_error("cannot map the shared memory", errno);
  return base::Mapping(where, bytes);
}

base::Status exchange(void* pages, base::Mapping& shared) {
  constexpr int kFlags = MREMAP_MAYMOVE | MREMAP_FIXED;
  const std::size_t bytes = shared.size();
  if (mremap(shared.where(), bytes, bytes, kFlags, pages) == MAP_FAILED)
    return base::system_error("cannot put shared memory in the group's place", errno);
  shared.release();
  return {};
}

}  // namespace

base::Result<GroupMemory> GroupMemory::make(const void* pages, std::size_t bytes, std::string_view name) {
  if (!is_name(name) || name.size() >= MAXLAT_SHM_NAME)
    return base::Error{"not a name for a group: \"" + std::string(name) + "\"", "letters are [A-Za-z0-9_.:+-]"};
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (reinterpret_cast<std::uintptr_t>(pages) % page != 0 || MAXLAT_SENSOR_PAGE % page != 0)
    return base::Error{"the group does not begin with a page of " + std::to_string(page) + " bytes"};
  auto sensors = sensors_of_group(pages, bytes);
  if (!sensors) return sensors.error();
  if (sensors->size() > MAXLAT_SHM_MAX_OBJECTS)
    return base::Error{"the group has " + std::to_string(sensors->size()) + " sensors", "4096 are the most"};
  std::uint64_t at = 0;
  trace::ContainerPlan plan = plan_of(*sensors, at);
  if (plan.total_size() > kLargestGroup)
    return base::Error{"the group has " + std::to_string(bytes) + " bytes", "64 MiB are the most"};
  GroupMemory made(std::move(*sensors), std::move(plan), at);
  auto memory = make_memory(name, made.plan_.total_size());
  if (!memory) return memory.error();
  auto table = map_part(memory->number(), 0, at);
  if (!table) return table.error();
  auto group = map_part(memory->number(), at, made.bytes());
  if (!group) return group.error();
  made.memory_ = std::move(*memory);
  made.table_ = std::move(*table);
  made.group_ = std::move(*group);
  return made;
}

void settle(std::uint8_t* copy, const std::uint8_t* original, const std::vector<SettledSensor>& sensors) {
  for (const auto& [offset, its] : sensors) its(copy + offset, original == nullptr ? nullptr : original + offset);
}

std::vector<SettledSensor> GroupMemory::settled_sensors() const {
  std::vector<SettledSensor> settled;
  for (const PlacedSensor& sensor : sensors_) {
    const SensorKindDefinition* const kind = find_sensor_kind(sensor.head.kind);
    if (kind != nullptr && kind->settle != nullptr) settled.push_back({sensor.offset, kind->settle});
  }
  return settled;
}

base::Status GroupMemory::seal(Producers producers) const {
  const int size = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  const bool is_alone = producers == Producers::this_process;
  // Others come to write to a common one: those whose file it is. Who else gets it may read it.
  if (!is_alone && fchmod(descriptor(), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) != 0)
    return base::system_error("cannot close the shared memory to other users", errno);
  if (fcntl(descriptor(), F_ADD_SEALS, is_alone ? size | F_SEAL_FUTURE_WRITE : size) == 0) return {};
  return base::system_error("cannot seal the shared memory", errno);
}

void GroupMemory::fill(const void* pages, std::size_t bytes, std::string_view name, Producers producers) {
  // The sensors before the header that says that they are there.
  std::memcpy(group_.where(), pages, bytes);
  settle(static_cast<std::uint8_t*>(group_.where()), static_cast<const std::uint8_t*>(pages), settled_sensors());
  plan_.publish(static_cast<std::uint8_t*>(table_.where()), identity_of(name, producers));
}

base::Status GroupMemory::put_in_place(void* pages) {
  return exchange(pages, group_);
}

base::Status GroupMemory::put_other_in_place(int descriptor, void* pages) const {
  auto group = map_part(descriptor, at_, bytes());
  if (!group) return group.error();
  return exchange(pages, *group);
}

}  // namespace maxlat::sensors::detail
