// SPDX-License-Identifier: MIT
//
// From an event of a trace to what the accounting of a CPU's time takes it for: the accounting's own table
// (event_meaning.hpp), under the names that events and fields have in a trace (attribution/lttng_names.hpp).
#pragma once

#include <cstddef>
#include <maxlat/attribution/event_meaning.hpp>
#include <maxlat/trace/stream_reader.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace_tools {

// What an event of that name in a trace means, and how its fields are called there. The first is a task switch.
struct TracedMeaning {
  const attribution::EventMeaning* meaning = nullptr;
  std::string event{};
  std::optional<std::string> number{}, value{}, priority{}, text{};
};
const std::vector<TracedMeaning>& traced_meanings();
// Null: the accounting has no use for it.
const TracedMeaning* meaning_in_trace(std::string_view event);

class TracedEvents {
 public:
  // Nothing: the accounting has no use for it, or it lacks a field that is needed.
  std::optional<attribution::KernelEvent> decode(const trace::RecordedEvent& event);

 private:
  static constexpr std::size_t kNoField = ~std::size_t{0};
  struct Layout {
    bool looked_up = false;
    const attribution::EventMeaning* meaning = nullptr;
    std::size_t number = kNoField, value = kNoField, priority = kNoField, text = kNoField;
  };
  static Layout layout_of(const trace::EventType& type);

  std::vector<Layout> by_type_;
};

// The fields of the state dump by the position that its events have them in (state_dump.hpp).
std::optional<std::uint64_t> number_field(const trace::RecordedEvent& event, std::string_view name);
std::optional<std::string_view> text_field(const trace::RecordedEvent& event, std::string_view name);

}  // namespace maxlat::trace_tools
