// SPDX-License-Identifier: MIT
// For tests of lists of events: an event whose words say of each other what they are, and a reader of them all.
#pragma once

#include <cstring>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <vector>

#include "sensors/test_group.hpp"

MAXLAT_TRACE_EVENT(listed, number, (std::uint64_t, n), (std::uint64_t, inverse), (std::uint32_t, thread))

namespace maxlat::sensors::test {

template <maxlat_sensor_writers kWriters, std::size_t kSlots>
struct Numbers {
  EventListOf<kWriters, kSlots, MAXLAT_LISTED_EVENT(listed, number)> list{"list", "what was numbered"};

  void post(std::uint64_t n, std::uint32_t thread = 0) { MAXLAT_POST(list, listed, number, n, ~n, thread); }
};

template <std::size_t kSlots, std::size_t kBytes>
struct VarNumbers {
  VarEventList<kSlots, kBytes, MAXLAT_LISTED_EVENT(listed, number)> list{"list", "what was numbered"};

  void post(std::uint64_t n, std::uint32_t thread = 0) { MAXLAT_POST(list, listed, number, n, ~n, thread); }
};

struct Number {
  std::uint64_t n = 0;
  std::uint32_t thread = 0;
  bool late = false;
};

// All that there is now; a post that has not ended is not waited for. Every event is whole, and times are in order.
class NumberReader {
 public:
  explicit NumberReader(const GroupView& view) : reader_(view.events(facts_of(view, "list"))) {}

  std::vector<Number> read() {
    std::vector<Number> numbers;
    ListedEvent event;
    for (EventStep step = EventStep::again; step != EventStep::none;) {
      step = reader_.next(event, ++now_ns_);
      if (step != EventStep::event) continue;
      std::uint64_t words[2];
      Number number;
      std::memcpy(words, event.payload.data(), sizeof words);
      std::memcpy(&number.thread, event.payload.data() + sizeof words, sizeof number.thread);
      number.n = words[0];
      number.late = event.late;
      EXPECT_EQ(words[1], ~words[0]);
      EXPECT_NE(event.type, nullptr);
      if (!event.late) {
        EXPECT_GE(event.ticks, last_ticks_);
        last_ticks_ = event.ticks;
      }
      numbers.push_back(number);
    }
    return numbers;
  }
  EventBooks books() const { return reader_.books(); }

 private:
  EventReader reader_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t last_ticks_ = 0;
};

}  // namespace maxlat::sensors::test
