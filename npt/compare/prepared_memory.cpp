// SPDX-License-Identifier: MIT
#include "prepared_memory.hpp"

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>

namespace maxlat::npt {
namespace {

constexpr std::size_t kPagesOfABlock = 16;  // free blocks are then of 8 pages at most

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
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // 4 KiB here, 16 or 64 on other processors
  const std::size_t block = kPagesOfABlock * page;
  const std::size_t size = most / block * block;
  if (size == 0 || !map(size)) return;
  (void)madvise(where_, size, MADV_POPULATE_WRITE);  // as far as there is memory
  for (std::size_t at = 0; at < size; at += block)
    (void)madvise(static_cast<char*>(where_) + at + page, block - page, MADV_DONTNEED);
}

}  // namespace maxlat::npt
