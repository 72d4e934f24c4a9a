// SPDX-License-Identifier: MIT
#include "compare/supplied_memory.hpp"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>

namespace maxlat::npt {

void supply_memory(std::uint64_t bytes) {
  struct sysinfo machine {};
  if (sysinfo(&machine) != 0) return;
  const std::uint64_t size = std::min<std::uint64_t>(bytes, std::uint64_t{machine.freeram} * machine.mem_unit / 2);
  if (size == 0) return;
  void* where = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (where != MAP_FAILED) munmap(where, size);
}

}  // namespace maxlat::npt
