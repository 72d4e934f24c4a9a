// SPDX-License-Identifier: MIT
//
// One CPU's records of our module as events. A record does not tell which thread it was written in; the task switches
// do. So until the first switch, and behind what is lost until the next one, it is not known whose the CPU is: whoever
// it belonged to before must not have the time of somebody else.
//
// THREADS  one at a time. One object for each CPU.
#pragma once

#include <cstdint>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/attribution/unseen_switches.hpp>
#include <utility>
#include <vector>

#include "module_events.hpp"

namespace maxlat::attribution {

class ModuleStream {
 public:
  explicit ModuleStream(UnseenSwitches::LookUp look_up) : switches_(std::move(look_up)) {}

  // Adds the record's event, and before it a hole where something was lost, or where it is of no event that we know.
  void take(const trace::KernelRecord& record, const ModuleEvents& decoder, std::vector<KernelEvent>& events);
  uint64_t taken() const { return taken_; }  // events, without what was added to them
  // Behind a read that began at tick `before`: `lost_ahead` events found no room since, of which no record tells before
  // the next one, and a gap may end before that.
  void end_of_read(uint64_t before, uint64_t lost_ahead, std::vector<KernelEvent>& events);

 private:
  void add_hole(uint64_t tick, std::vector<KernelEvent>& events);

  int32_t running_ = KernelEvent::kUnknown;
  UnseenSwitches switches_;
  uint64_t last_tick_ = 0;
  uint64_t taken_ = 0;
};

}  // namespace maxlat::attribution
