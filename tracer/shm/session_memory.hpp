// SPDX-License-Identifier: MIT
//
// The consumer's view of a session's memory: checked once, used without trust. Layout and rules: session_layout.h.
//
// OWNERSHIP: the view owns its mapping of header and slot table and a descriptor of the memfd of its own; rings are
// mapped one by one with map_ring(). Everything is undone by the destructors. ERRORS: attach() says in one line what
// does not fit. THREADS: one thread a view.
#pragma once

#include <maxlat/ring/read.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <string>
#include <utility>

#include "session_layout.h"

namespace maxlat::trace {

// An mmap()ed range, unmapped with its owner.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* where, std::size_t size) : where_(where), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : where_(std::exchange(other.where_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(where_, other.where_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();

  void* where() const { return where_; }
  std::size_t size() const { return size_; }

 private:
  void* where_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace maxlat::trace
