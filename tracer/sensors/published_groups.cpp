// SPDX-License-Identifier: MIT
#include "sensors/published_groups.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/striped.hpp>

namespace maxlat::sensors {
namespace detail {

bool PublishedOne::has_memory() const {
  struct stat facts {};
  return memory && fstat(memory.number(), &facts) == 0 && facts.st_dev == device && facts.st_ino == file;
}

base::Status PublishedOne::look_at_memory() {
  struct stat facts {};
  if (fstat(memory.number(), &facts) != 0) return base::system_error("cannot look at the shared memory", errno);
  device = facts.st_dev;
  file = facts.st_ino;
  return {};
}

void PublishedOne::close() {
  if (has_memory())
    base::Descriptor(std::move(memory));
  else
    memory.release();
}

}  // namespace detail

namespace {

using detail::PublishedOne;

std::mutex& mutex() {
  static auto* const made = new std::mutex;
  return *made;
}
std::list<PublishedOne>& published() {
  static auto* const made = new std::list<PublishedOne>;
  return *made;
}

std::list<PublishedOne>::iterator find(void* pages) {
  auto& all = published();
  auto each = all.begin();
  while (each != all.end() && each->pages != pages) ++each;
  return each;
}

// A private copy at the same place. Async-signal-safe.
bool make_private(const PublishedOne& group) {
  void* copy = mmap(nullptr, group.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  std::memcpy(copy, group.pages, group.bytes);
  detail::settle(static_cast<std::uint8_t*>(copy), static_cast<const std::uint8_t*>(group.pages), group.settled);
  return mremap(copy, group.bytes, group.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, group.pages) != MAP_FAILED;
}

// The shared memory's pages, each private from the first store to it on; until then the parent's posts are in it, too.
// Takes memory only for what is to be settled. Async-signal-safe.
bool make_private_page_by_page(const PublishedOne& group) {
  constexpr int kFlags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  if (!group.has_memory() || mmap(group.pages, group.bytes, PROT_READ | PROT_WRITE, kFlags, group.memory.number(),
                                  static_cast<off_t>(group.at)) == MAP_FAILED)
    return false;
  detail::settle(static_cast<std::uint8_t*>(group.pages), nullptr, group.settled);
  return true;
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
// processes would be one sensor's writers, if what it posts did not go elsewhere; unless the sensor is for several.
void after_in_child() {
  detail::keep_own_stripe_alone();
  for (PublishedOne& group : published()) {
    if (group.producers == detail::Producers::several) continue;
    if (!group.memory) continue;  // the parent's, of its own parent: private already
    group.is_borrowed = !make_private(group);
    // What a child cannot have of its own it must not write to: it is the parent's.
    if (group.is_borrowed && !make_private_page_by_page(group)) mprotect(group.pages, group.bytes, PROT_READ);
    group.close();
  }
  after_fork();
}

enum class Memory { may_stay, goes };

// RETURNS: false: it is published as before, and its memory must stay.
bool withdraw(void* pages, Memory memory) {
  const std::lock_guard lock(mutex());
  const auto group = find(pages);
  if (group == published().end()) return true;
  // Or the pages would be shared with the children of later forks, as memory that nobody knows is shared.
  if ((group->memory || group->is_borrowed) && !make_private(*group)) {
    // Page by page is not enough for a heap: what that gives back and takes again has the file's bytes, and no zeros.
    if (memory == Memory::may_stay) return false;
    make_private_page_by_page(*group);  // for posts after exit(), where the pages do not go
  }
  group->close();
  published().erase(group);
  return true;
}

void watch_forks() {
  static const int watched = pthread_atfork(before_fork, after_fork, after_in_child);
  (void)watched;  // without the memory for it a fork is not watched, and hardly works
}

}  // namespace

std::unique_lock<std::mutex> detail::lock_published_groups() {
  watch_forks();
  return std::unique_lock(mutex());
}

base::Status detail::take_place(void* pages, std::string_view name) {
  const auto before = find(pages);
  if (before != published().end() && before->has_memory())
    return base::Error{"the group " + std::string(name) + " is published already"};
  const auto is_other = [&](const PublishedOne& group) {
    return group.pages != pages && group.name == name && group.has_memory();
  };
  if (std::any_of(published().begin(), published().end(), is_other))
    return base::Error{"another group of this process is called " + std::string(name)};
  if (before == published().end()) return {};
  before->close();  // a child's, of its parent; or one whose descriptor the program has closed
  published().erase(before);
  return {};
}

void detail::add_published(PublishedOne group) {
  published().push_back(std::move(group));
}

bool withdraw_group(void* pages) {
  return withdraw(pages, Memory::may_stay);
}

void detail::withdraw_with_its_memory(void* pages) {
  withdraw(pages, Memory::goes);
}

}  // namespace maxlat::sensors
