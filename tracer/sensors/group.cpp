// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <list>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/process_start.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <mutex>

#include "sensors/group_layout.hpp"
#include "shm/container_plan.hpp"
#include "shm/file_size_limit.hpp"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace maxlat::sensors {
namespace {

// A group that monitors can find.
struct Published {
  void* pages;
  std::size_t bytes;  // of whole pages
  base::Descriptor memory;
};

// Never destroyed: groups of libraries may be withdrawn after this library's destructors have run.
std::mutex& mutex() {
  static auto* const made = new std::mutex;
  return *made;
}
std::list<Published>& published() {
  static auto* const made = new std::list<Published>;
  return *made;
}

std::list<Published>::iterator find(void* pages) {
  auto& all = published();
  auto each = all.begin();
  while (each != all.end() && each->pages != pages) ++each;
  return each;
}

// What the header says of us. No clock: a value has no time.
trace::ContainerIdentity identity_of(std::string_view name) {
  trace::ContainerIdentity identity;
  identity.name = name;
  identity.process = program_invocation_short_name;
  identity.pid = static_cast<std::uint32_t>(getpid());
  identity.pid_start_time = base::start_time_of(getpid());
  identity.uuid = trace::random_uuid();
  return identity;
}

// Where everything lies: a table, then the group from a page on.
struct Place {
  trace::ContainerPlan plan;
  std::uint64_t group = 0;
};

Place place_of(const std::vector<detail::PlacedSensor>& sensors) {
  Place place{trace::ContainerPlan(static_cast<std::uint32_t>(sensors.size()))};
  place.plan.align(MAXLAT_SENSOR_PAGE);
  std::uint32_t id = 0;
  for (const detail::PlacedSensor& sensor : sensors) {
    const std::uint64_t offset = place.plan.add({.kind = sensor.head.kind,
                                                 .layout_version = sensor.head.layout_version,
                                                 .id = id++,
                                                 .size = sensor.head.size,
                                                 .name = detail::text_of(sensor.head.name)});
    if (id == 1) place.group = offset;
  }
  place.plan.align(MAXLAT_SENSOR_PAGE);
  return place;
}

base::Result<base::Descriptor> make_memory(std::string_view name, std::uint64_t bytes) {
  const base::Status allowed = trace::check_file_size_limit("a group's memory", bytes, "raise it (ulimit -f)");
  if (!allowed) return allowed.error();
  const std::string called = "maxlat-sensors:" + std::string(name);
  base::Descriptor memory(memfd_create(called.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return base::system_error("cannot make shared memory", errno);
  const auto size = static_cast<off_t>(bytes);
  if (ftruncate(memory.number(), size) != 0 || fallocate(memory.number(), 0, 0, size) != 0)
    return base::system_error("no memory to share", errno);
  return memory;
}

base::Status seal(const base::Descriptor& memory) {
  constexpr int kSeals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
  if (fcntl(memory.number(), F_ADD_SEALS, kSeals) == 0) return {};
  return base::system_error("cannot seal the shared memory", errno);
}

base::Result<base::Mapping> map_part(const base::Descriptor& memory, std::uint64_t at, std::uint64_t bytes) {
  constexpr int kFlags = MAP_SHARED | MAP_POPULATE;
  void* where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, memory.number(), static_cast<off_t>(at));
  if (where == MAP_FAILED) return base::system_error("cannot map the shared memory", errno);
  return base::Mapping(where, bytes);
}

// This memory in the place of that, with what that held. The last step, for there is no way back.
base::Status exchange(void* pages, std::size_t bytes, base::Mapping shared) {
  std::memcpy(shared.where(), pages, bytes);
  constexpr int kFlags = MREMAP_MAYMOVE | MREMAP_FIXED;
  if (mremap(shared.where(), shared.size(), shared.size(), kFlags, pages) == MAP_FAILED)
    return base::system_error("cannot put shared memory in the group's place", errno);
  shared.release();
  return {};
}

// A private copy at the same place. Async-signal-safe.
bool make_private(const Published& group) {
  void* copy = mmap(nullptr, group.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  std::memcpy(copy, group.pages, group.bytes);
  return mremap(copy, group.bytes, group.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, group.pages) != MAP_FAILED;
}

// The child of a fork has one thread, which may have been anywhere but in here: no heap, nothing that waits. Two
// processes would be one sensor's writers, if what it posts did not go elsewhere.
void after_in_child() {
  for (Published& group : published()) {
    // What a child cannot have of its own it must not write to: it is the parent's.
    if (!make_private(group)) mprotect(group.pages, group.bytes, PROT_READ);
    base::Descriptor(std::move(group.memory));
  }
  mutex().unlock();
}

void watch_forks() {
  static const int watched = pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, after_in_child);
  (void)watched;  // without the memory for it a fork is not watched, and hardly works
}

}  // namespace

base::Status publish_group(void* pages, std::size_t bytes, std::string_view name) {
  if (!is_name(name) || name.size() >= MAXLAT_SHM_NAME)
    return base::Error{"not a name for a group: \"" + std::string(name) + "\"", "letters are [A-Za-z0-9_.:+-]"};
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (reinterpret_cast<std::uintptr_t>(pages) % page != 0 || MAXLAT_SENSOR_PAGE % page != 0)
    return base::Error{"the group does not begin with a page of " + std::to_string(page) + " bytes"};
  watch_forks();
  const std::lock_guard lock(mutex());
  if (const auto before = find(pages); before != published().end()) {
    if (before->memory) return base::Error{"the group " + std::string(name) + " is published already"};
    published().erase(before);  // a child's, of its parent
  }
  const auto sensors = detail::sensors_of_group(pages, bytes);
  if (!sensors) return sensors.error();
  if (sensors->size() > MAXLAT_SHM_MAX_OBJECTS)
    return base::Error{"the group has " + std::to_string(sensors->size()) + " sensors", "4096 are the most"};
  const Place place = place_of(*sensors);
  auto memory = make_memory(name, place.plan.total_size());
  if (!memory) return memory.error();
  // Mapped first, sealed then: nobody gets it writable any more, and this process has it.
  const auto table = map_part(*memory, 0, place.group);
  if (!table) return table.error();
  const std::uint64_t whole = place.plan.total_size() - place.group;
  auto shared = map_part(*memory, place.group, whole);
  if (!shared) return shared.error();
  if (const base::Status sealed = seal(*memory); !sealed) return sealed;
  place.plan.publish(static_cast<std::uint8_t*>(table->where()), identity_of(name));
  if (const base::Status done = exchange(pages, bytes, std::move(*shared)); !done) return done;
  published().push_back({pages, whole, std::move(*memory)});
  return {};
}

void withdraw_group(void* pages) {
  const std::lock_guard lock(mutex());
  const auto group = find(pages);
  if (group == published().end()) return;
  // Or the pages would be shared with the children of later forks, as memory that nobody knows is shared.
  if (group->memory && !make_private(*group)) return;
  published().erase(group);
}

PublishedGroup::PublishedGroup(void* pages, std::size_t bytes, std::string_view name) : pages_(pages) {
  const base::Status published = publish_group(pages, bytes, name);
  if (published) return;
  const std::string line =
      "maxlat: sensors " + std::string(name) + ": " + published.error().text + "; nobody can see them\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace maxlat::sensors
