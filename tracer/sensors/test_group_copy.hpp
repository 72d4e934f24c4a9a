// SPDX-License-Identifier: MIT
// For tests: the memory of a published group once more, where it can be written to: that of a program that lies.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <maxlat/base/owned.hpp>
#include <span>
#include <string>
#include <vector>

#include "sensors/test_group.hpp"

namespace maxlat::sensors::test {

class GroupCopy {
 public:
  explicit GroupCopy(const std::string& group) {
    const base::Descriptor from(descriptor_of(group, O_RDONLY));
    const off_t size = lseek(from.number(), 0, SEEK_END);
    if (size <= 0) abort();
    good_.resize(static_cast<std::size_t>(size));
    if (pread(from.number(), good_.data(), good_.size(), 0) != size) abort();
    if (write(copy_.number(), good_.data(), good_.size()) != size) abort();
    void* const where = mmap(nullptr, good_.size(), PROT_READ | PROT_WRITE, MAP_SHARED, copy_.number(), 0);
    constexpr int kFutureWrite = 0x0010;  // F_SEAL_FUTURE_WRITE
    if (where == MAP_FAILED || fcntl(copy_.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | kFutureWrite) != 0)
      abort();
    mapping_ = base::Mapping(where, good_.size());
  }

  int descriptor() const { return copy_.number(); }
  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(mapping_.where()); }
  std::span<const std::uint8_t> good() const { return good_; }  // as the group's own program wrote them

 private:
  std::vector<std::uint8_t> good_;
  base::Descriptor copy_{memfd_create("lying", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  base::Mapping mapping_;
};

}  // namespace maxlat::sensors::test
