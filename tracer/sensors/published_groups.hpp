// SPDX-License-Identifier: MIT
//
// This process's groups that others can see, each with the descriptor by which they find it, and what becomes of them
// when it forks. Never destroyed: groups of libraries may be withdrawn after this library's destructors have run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/group_memory.hpp"

namespace maxlat::sensors::detail {

struct PublishedOne {
  void* pages;
  std::size_t bytes;  // of whole pages
  std::string name;
  Producers producers = Producers::this_process;
  base::Descriptor memory{};
  std::uint64_t at = 0;  // in it
  std::vector<SettledSensor> settled{};
  bool is_borrowed = false;  // a child's, which had no memory for a copy of the parent's
  dev_t device = 0;          // the memory's, and
  ino_t file = 0;            // its number there, by which a descriptor is known to be it

  // ERRORS: the system's.
  base::Status look_at_memory();
  // A program may have closed all descriptors above 2 since, and have another file there. Async-signal-safe.
  bool has_memory() const;
  void close();
};

// What is done under this lock is one step, for other threads and for children of forks. Forks are watched from the
// first time on.
std::unique_lock<std::mutex> lock_published_groups();

// Before a group of these pages is published. REQUIRES: the lock. ERRORS: the pages are a group already, or another is
// called so.
base::Status take_place(void* pages, std::string_view name);

// The pages are that memory by now. REQUIRES: the lock, and take_place().
void add_published(PublishedOne group);

// As withdraw_group(), of memory that goes in any case. What cannot be withdrawn is forgotten: a fork must not copy
// what is not there any more.
void withdraw_with_its_memory(void* pages);

// One line on stderr.
void tell_of_group(std::string_view name, const base::Error& error, std::string_view so);

}  // namespace maxlat::sensors::detail
