// SPDX-License-Identifier: MIT
//
// Free memory that the guest keeps: what the traces of a search for the highest rate are written to.
//
// PROBLEM. A virtual machine's kernel tells its host which blocks of memory lie free (free page reporting), and the
// host takes them; whoever is given such a page next waits until the host has found another. Where a trial's trace came
// to those pages its consumer fell, within 20 ms, from 1.05 to 0.25 GB/s and the rings ran over; where it did not,
// nothing was lost as fast as the loop went. So the highest rate was that of the luck with memory: seven searches found
// from 21.8 to 33.4 million events a second. To use memory once and give it back is not enough: the host has it back in
// seconds.
//
// IDEA. Memory is taken, touched, and given back but for one page in sixteen. What lies free between those pages
// cannot merge to the large blocks that are reported (2 MiB; 128 KiB on the machine this was seen on), and the kernel's
// allocator uses small blocks before it divides large ones: so the next pages of a trace are these, and when the trace
// is removed they are here again for the next. It needs no privilege, changes no setting, and ends with the process.
//
// LIMIT. What is available is the machine's. The memory limit of a control group is not looked at: in a container with
// less than a trial's trace (some GB with the default -D) the kernel's out-of-memory killer may end the search. A
// shorter -D asks for less.
//
// On metal, and where nothing is reported, it costs a moment and changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maxlat::npt {

class PreparedMemory {
 public:
  PreparedMemory() = default;
  ~PreparedMemory();
  PreparedMemory(const PreparedMemory&) = delete;
  PreparedMemory& operator=(const PreparedMemory&) = delete;

  // So much lies free and is the guest's; at most half of what is available, less when it cannot be had. To be called
  // again before each use: what others took meanwhile is made up for.
  void prepare(std::uint64_t bytes);

 private:
  bool map(std::size_t size);

  void* where_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace maxlat::npt
