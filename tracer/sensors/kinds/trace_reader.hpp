// SPDX-License-Identifier: MIT
//
// The events of a trace in a group (trace_ring.h), read by a monitor that cannot write to it: ring/follow/follow.h,
// with their types. Its books are the follower's; what was reserved and is not committed is in none yet.
#pragma once

#include <maxlat/ring/follow/follow.h>

#include <cstdint>
#include <functional>
#include <maxlat/sensors/event_reader.hpp>
#include <memory>
#include <vector>

#include "sensors/event_list_object.hpp"

namespace maxlat::sensors::detail {

// What is constant in a trace, copied and checked.
struct TraceObject : EventListObject {
  maxlat_ring ring{};  // in the group's memory, which nobody here can write to
};

// Posts that had no place.
std::uint64_t lost_in_trace(const maxlat_ring& ring);

class TraceReader : public EventReader::Source {
 public:
  // `trace` is in the memory's group.
  TraceReader(std::shared_ptr<const void> memory, const TraceObject& trace);

  const std::vector<trace::EventDescription>& types() const override { return trace_.events; }
  EventStep next(ListedEvent& event, std::uint64_t now_ns) override;
  void read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) override;
  EventBooks books() const override;

 private:
  std::shared_ptr<const void> memory_;
  const TraceObject& trace_;
  std::vector<maxlat_ring_followed> places_;
  std::vector<std::uint64_t> copy_;  // of a packet
  maxlat_ring_follower follower_{};
  std::uint64_t dropped_before_ = 0;
};

}  // namespace maxlat::sensors::detail
