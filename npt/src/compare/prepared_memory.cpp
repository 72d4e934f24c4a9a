// SPDX-License-Identifier: MIT
#include "compare/prepared_memory.hpp"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>

namespace maxlat::npt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBlock = 16 * kPage;  // free blocks are then of 32 KiB at most

}  // namespace

PreparedMemory::~PreparedMemory() {
  if (where_ != nullptr) munmap(where_, size_);
}

// Grows in place or moves, so that the pages that are held stay where they are. No huge pages: one could not be given
// back in part.
bool PreparedMemory::map(std::size_t size) {
  if (size <= size_) return true;
  void* const mapped = where_ == nullptr ? mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                         : mremap(where_, size_, size, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) return false;
  where_ = mapped;
  size_ = size;
  (void)madvise(where_, size_, MADV_NOHUGEPAGE);  // fails where the kernel has none
  return true;
}

void PreparedMemory::prepare(std::uint64_t bytes) {
  struct sysinfo machine {};
  if (sysinfo(&machine) != 0) return;
  const std::uint64_t most = std::min<std::uint64_t>(bytes, std::uint64_t{machine.freeram} * machine.mem_unit / 2);
  const std::size_t size = most / kBlock * kBlock;
  if (size == 0 || !map(size)) return;
  (void)madvise(where_, size, MADV_POPULATE_WRITE);  // as far as there is memory
  for (std::size_t block = 0; block < size; block += kBlock)
    (void)madvise(static_cast<char*>(where_) + block + kPage, kBlock - kPage, MADV_DONTNEED);
}

}  // namespace maxlat::npt
