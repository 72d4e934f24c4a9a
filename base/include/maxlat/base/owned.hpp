// SPDX-License-Identifier: MIT
//
// Owners of what the kernel gives: a descriptor, a mapping. The destructor releases it, and leaves errno as it was, so
// that it still says why the caller's function failed.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace maxlat::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ < 0) return;
    const int before = errno;
    close(number_);
    errno = before;
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

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
  ~Mapping() {
    if (where_ == nullptr) return;
    const int before = errno;
    munmap(where_, size_);
    errno = before;
  }

  void* where() const { return where_; }
  std::size_t size() const { return size_; }
  void release() { where_ = nullptr; }

 private:
  void* where_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace maxlat::base
