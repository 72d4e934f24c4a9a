// SPDX-License-Identifier: MIT
//
// What other CPUs did to one CPU (is_of_another_cpu), among the events of that CPU: put in where it belongs, and taken
// out where some of it is lost.
#pragma once

#include <cstdint>
#include <maxlat/attribution/kernel_event.hpp>
#include <span>
#include <vector>

namespace maxlat::attribution {

// REQUIRES: both in their order.
void add_done_elsewhere(std::vector<KernelEvent>& events, std::span<const KernelEvent> done);

// Of what other CPUs did some is lost, from this tick until now. A later waking of the same thread, or interrupt to
// this CPU, may be among it: what was done since names nobody.
void lose_elsewhere(std::vector<KernelEvent>& events, uint64_t since);

// One CPU's turns of reading what the others did to it.
class ElsewhereTurns {
 public:
  // `began`: the counter before this turn's reading. `whole`: nothing was lost since the last turn, and all is read.
  void add(uint64_t began, bool whole, std::span<const KernelEvent> done, std::vector<KernelEvent>& events);

 private:
  uint64_t last_began_ = 0;
  uint64_t nothing_until_ = 0;  // some of what was done until then is lost, so that none of it counts
};

}  // namespace maxlat::attribution
