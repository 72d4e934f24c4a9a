// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A ring in memory of its own, for tests.
#pragma once

#include <maxlat/ring/read.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace maxlat::ring_test {

inline maxlat_ring_options options_of(uint32_t features, uint32_t sub_buffer_bits, uint32_t ring_bits,
                                      uint64_t start = 0) {
  maxlat_ring_options options{};
  options.features = features;
  options.sub_buffer_bits = sub_buffer_bits;
  options.ring_bits = ring_bits;
  options.start = start;
  return options;
}

class RingMemory {
 public:
  explicit RingMemory(const maxlat_ring_options& options)
      : size_(maxlat_ring_size(&options)), memory_(std::aligned_alloc(MAXLAT_RING_PAGE, size_), std::free) {
    std::memset(memory_.get(), 0, size_);
    valid_ = maxlat_ring_create(&ring, memory_.get(), size_, &options) && maxlat_ring_reader_start(&reader, &ring);
  }

  bool valid() const { return valid_; }
  void* where() { return memory_.get(); }
  uint64_t size() const { return size_; }

  maxlat_ring ring{};
  maxlat_ring_reader reader{};

 private:
  uint64_t size_;
  std::unique_ptr<void, void (*)(void*)> memory_;
  bool valid_ = false;
};

}  // namespace maxlat::ring_test
