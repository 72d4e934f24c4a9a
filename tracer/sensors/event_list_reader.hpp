// SPDX-License-Identifier: MIT
//
// The events of a list, of both forms: event_list_read.h, with their types.
#pragma once

#include <maxlat/sensors/event_list_read.h>

#include <cstdint>
#include <functional>
#include <maxlat/sensors/event_reader.hpp>
#include <memory>
#include <vector>

#include "sensors/event_list_object.hpp"

namespace maxlat::sensors::detail {

class EventListReader : public EventReader::Source {
 public:
  // `facts` are in the memory's group.
  EventListReader(std::shared_ptr<const void> memory, const maxlat_event_list& list, const EventListObject& facts,
                  std::uint64_t patience_ns);

  const std::vector<trace::EventDescription>& types() const override { return facts_.events; }
  EventStep next(ListedEvent& event, std::uint64_t now_ns) override;
  void read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) override;
  EventBooks books() const override;

 private:
  std::shared_ptr<const void> memory_;
  const EventListObject& facts_;
  maxlat_event_reader reader_{};
  maxlat_event_copy copy_{};
};

}  // namespace maxlat::sensors::detail
