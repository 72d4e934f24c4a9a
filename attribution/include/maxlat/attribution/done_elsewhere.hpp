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

// Of what other CPUs did some is lost, from this tick until now. A later waking of the same thread, or interrupt to
// this CPU, may be among it: what was done since names nobody.
void lose_elsewhere(std::vector<KernelEvent>& events, uint64_t since);

// One CPU's turns of reading what the others did to it, behind its own events. What stands among these is no later than
// they are known, so that their next ones can be added behind.
class ElsewhereTurns {
 public:
  struct Turn {
    uint64_t began = 0;  // the counter before what the others did was read
    bool whole = false;  // nothing was lost since the last turn, and all is read
    uint64_t until = 0;  // the CPU's own events are all here, up to this tick
  };
  // REQUIRES: `done` in its order.
  void add(const Turn& turn, std::span<const KernelEvent> done, std::vector<KernelEvent>& events);

 private:
  uint64_t last_began_ = 0;
  uint64_t nothing_until_ = 0;  // some of what was done until then is lost, so that none of it counts
  std::vector<KernelEvent> held_back_;
};

}  // namespace maxlat::attribution
