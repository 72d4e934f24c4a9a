// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <maxlat/sensors/stat.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/process_start.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/striped.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <mutex>

#include "directory/hand_over.hpp"
#include "directory/messages.hpp"
#include "sensors/group_layout.hpp"
#include "shm/container_plan.hpp"
#include "shm/file_size_limit.hpp"
#include "shm/reserve_memory.hpp"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace maxlat::sensors {
namespace {

// A group that monitors can find.
struct Published {
  void* pages;
  std::size_t bytes;  // of whole pages
  std::string name;
  base::Descriptor memory;
  std::uint64_t at = 0;  // in it
  dev_t device = 0;      // the memory's, and
  ino_t file = 0;        // its number there, by which a descriptor is known to be it

  // A program may have closed all descriptors above 2 since, and have another file there. Async-signal-safe.
  bool has_memory() const {
    struct stat facts {};
    return memory && fstat(memory.number(), &facts) == 0 && facts.st_dev == device && facts.st_ino == file;
  }
  void close() {
    if (has_memory())
      base::Descriptor(std::move(memory));
    else
      memory.release();
  }
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
  identity.process = *program_invocation_short_name != 0 ? program_invocation_short_name : "unknown";
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
  if (ftruncate(memory.number(), size) != 0 || trace::reserve_memory(memory.number(), 0, 0, size) != 0)
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

// A copy that was taken in the middle of a post would count it as begun for ever.
void settle(std::uint8_t* copy, const std::vector<detail::PlacedSensor>& sensors) {
  for (const detail::PlacedSensor& sensor : sensors) {
    if (sensor.head.kind != MAXLAT_SENSOR_STAT) continue;
    auto& stat = *reinterpret_cast<maxlat_stat*>(copy + sensor.offset);
    stat.begun = stat.count;
  }
}

// This memory, which is the pages' copy, in their place. The last step, for there is no way back.
base::Status exchange(void* pages, base::Mapping shared) {
  constexpr int kFlags = MREMAP_MAYMOVE | MREMAP_FIXED;
  const std::size_t bytes = shared.size();
  if (mremap(shared.where(), bytes, bytes, kFlags, pages) == MAP_FAILED)
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

// The shared memory's pages, each private from the first store to it on; until then the parent's posts are in it, too.
// Takes no memory now. Async-signal-safe.
bool make_private_page_by_page(const Published& group) {
  constexpr int kFlags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  return group.has_memory() && mmap(group.pages, group.bytes, PROT_READ | PROT_WRITE, kFlags, group.memory.number(),
                                    static_cast<off_t>(group.at)) != MAP_FAILED;
}

sigset_t signals_before;  // the fork's

// No handler posts while it is not yet clear whose memory it would post to.
void before_fork() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  mutex().lock();
  signals_before = before;
}

void after_fork() {
  const sigset_t before = signals_before;
  mutex().unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The child of a fork has one thread, which may have been anywhere but in here: no heap, nothing that waits. Two
// processes would be one sensor's writers, if what it posts did not go elsewhere.
void after_in_child() {
  detail::keep_own_stripe_alone();
  for (Published& group : published()) {
    if (!group.memory) continue;  // the parent's, of its own parent: private already
    // What a child cannot have of its own it must not write to: it is the parent's.
    if (!make_private(group) && !make_private_page_by_page(group)) mprotect(group.pages, group.bytes, PROT_READ);
    group.close();
  }
  after_fork();
}

void watch_forks() {
  static const int watched = pthread_atfork(before_fork, after_fork, after_in_child);
  (void)watched;  // without the memory for it a fork is not watched, and hardly works
}

// ERRORS: the pages are a group already, or another is called so.
base::Status take_place(void* pages, std::string_view name) {
  const auto before = find(pages);
  if (before != published().end() && before->has_memory())
    return base::Error{"the group " + std::string(name) + " is published already"};
  const auto is_other = [&](const Published& group) {
    return group.pages != pages && group.name == name && group.has_memory();
  };
  if (std::any_of(published().begin(), published().end(), is_other))
    return base::Error{"another group of this process is called " + std::string(name)};
  if (before == published().end()) return {};
  before->close();  // a child's, of its parent; or one whose descriptor the program has closed
  published().erase(before);
  return {};
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
  if (const base::Status free = take_place(pages, name); !free) return free;
  const auto sensors = detail::sensors_of_group(pages, bytes);
  if (!sensors) return sensors.error();
  if (sensors->size() > MAXLAT_SHM_MAX_OBJECTS)
    return base::Error{"the group has " + std::to_string(sensors->size()) + " sensors", "4096 are the most"};
  const Place place = place_of(*sensors);
  if (place.plan.total_size() > detail::kLargestGroup)
    return base::Error{"the group has " + std::to_string(bytes) + " bytes", "64 MiB are the most"};
  auto memory = make_memory(name, place.plan.total_size());
  if (!memory) return memory.error();
  // Mapped first, sealed then: nobody gets it writable any more, and this process has it.
  const auto table = map_part(*memory, 0, place.group);
  if (!table) return table.error();
  const std::uint64_t whole = place.plan.total_size() - place.group;
  auto shared = map_part(*memory, place.group, whole);
  if (!shared) return shared.error();
  if (const base::Status sealed = seal(*memory); !sealed) return sealed;
  struct stat facts {};
  if (fstat(memory->number(), &facts) != 0) return base::system_error("cannot look at the shared memory", errno);
  // The sensors before the header that says that they are there.
  std::memcpy(shared->where(), pages, bytes);
  settle(static_cast<std::uint8_t*>(shared->where()), *sensors);
  place.plan.publish(static_cast<std::uint8_t*>(table->where()), identity_of(name));
  if (const base::Status done = exchange(pages, std::move(*shared)); !done) return done;
  published().push_back({pages, whole, std::string(name), std::move(*memory), place.group, facts.st_dev, facts.st_ino});
  // Who may not be debugged shows its user nothing: root's directory alone.
  const bool may_be_seen = prctl(PR_GET_DUMPABLE) == 1;
  detail::hand_over(published().back().memory.number(), detail::directories(!may_be_seen));
  return {};
}

void withdraw_group(void* pages) {
  const std::lock_guard lock(mutex());
  const auto group = find(pages);
  if (group == published().end()) return;
  // Or the pages would be shared with the children of later forks, as memory that nobody knows is shared.
  if (group->memory && !make_private(*group)) return;
  group->close();
  published().erase(group);
}

PublishedGroup::PublishedGroup(void* pages, std::size_t bytes, std::string_view name) : pages_(pages) {
  const base::Status published = publish_group(pages, bytes, name);
  if (published) return;
  const base::Error& error = published.error();
  const std::string line = "maxlat: sensors " + std::string(name) + ": " + error.text +
                           (error.hint.empty() ? "" : " (" + error.hint + ")") + "; nobody can see them\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace maxlat::sensors
