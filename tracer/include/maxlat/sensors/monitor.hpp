// SPDX-License-Identifier: MIT
//
// The monitor's side: a group of sensors of another program (or of this one), mapped read-only, and its values.
//
//   auto group = GroupView::attach(fd);
//   for (const SensorFacts& sensor : group->sensors()) show(sensor, group->read(sensor));
//
// A value is that of this moment; the program goes on posting while it is read, and does not notice. Every step is
// bounded, whatever the program does. When the program has ended, or was killed, the view keeps what was posted
// last.
//
// TRUST: a hostile program can show any values, and texts of printable letters. It cannot make a monitor read outside
// of the memory, wait, or take a size from what it may change.
// OWNERSHIP: the view has a mapping and a file description of its own. ERRORS: one line that says what does not fit.
// THREADS: one a view.
#pragma once

#include <maxlat/base/histogram_shape.h>

#include <array>
#include <cstdint>
#include <limits>
#include <maxlat/base/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace maxlat::sensors {

// A kind that has none of these words for readers has the number of its own: SensorKind{number} (sensor_kind.hpp).
enum class SensorKind { counter, gauge, stat, counters, histogram, events, map, unknown };
const char* word_of(SensorKind kind);
bool has_events(SensorKind kind);  // GroupView::events() reads them

struct SensorFacts {
  SensorKind kind = SensorKind::unknown;  // unknown: of a later version of the tracer; it has no value here
  std::string name;
  std::string unit;
  std::string about;
  bool shared = false;    // all threads post
  std::size_t place = 0;  // in the group
  // As its program numbered it: in a group from 0 on, in the order of the struct. It means this sensor in this memory
  // (GroupView::uuid) alone: a program that was built from another struct may give it to another.
  std::uint32_t id = 0;
};

struct CounterValue {
  std::uint64_t value = 0;
};

struct GaugeValue {
  std::int64_t value = 0;
  std::int64_t lowest = 0, highest = 0;  // both allowed
  bool within() const { return value >= lowest && value <= highest; }
  bool has_limits() const {
    using Range = std::numeric_limits<std::int64_t>;
    return lowest != Range::min() || highest != Range::max();
  }
};

struct StatValue {
  std::uint64_t count = 0;  // 0: none of the others means anything
  std::int64_t value = 0, min = 0, max = 0;
  std::uint64_t sum = 0;  // modulo 2^64, as a signed number
  // Together: no post was under way. Not: each is right by itself, at some time of the reading. A writer may have died
  // in the middle.
  bool settled = false;
};

struct CountersValue {
  std::vector<std::pair<std::string, std::uint64_t>> values;  // with their labels, no two the same
  std::uint64_t outside = 0;                                  // posts of an index beyond the last
};

struct HistogramValue {
  maxlat_histogram_shape shape{};    // of a log-linear one
  std::uint64_t low = 0, width = 0;  // of a linear one: the width is not 0
  std::vector<std::uint64_t> buckets;
  std::uint64_t total = 0;  // of the buckets, and what is in none
  std::uint64_t overflows = 0;
  std::uint64_t below = 0;  // of a linear one
  // A sensor that is posted buckets alone has none of these.
  bool has_moments = false;
  std::uint64_t min = 0, max = 0, sum = 0;
  std::optional<double> deviation;  // the standard deviation; of a log-linear one
  struct Outlier {
    std::uint64_t value = 0;
    std::uint64_t time = 0;  // as it was posted with it; 0: with none
  };
  std::vector<Outlier> outliers;  // of a log-linear one: the first values beyond the range, 16 at most

  // Smallest and largest value of a bucket.
  std::uint64_t low_of(std::uint32_t bucket) const {
    return width != 0 ? low + bucket * width : maxlat_shape_low(shape, bucket);
  }
  std::uint64_t high_of(std::uint32_t bucket) const {
    return width != 0 ? low_of(bucket) + (width - 1) : maxlat_shape_high(shape, bucket);
  }
  // As maxlat_shaped_value_at_rank(). `part` from 0 to 1. 0 when the histogram is empty.
  std::uint64_t quantile(double part) const;
};

struct MapValue {
  struct Axis {
    std::string name, unit;
    std::uint64_t low = 0, width = 0, cells = 0;
  };
  struct Cell {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;  // modulo 2^64
  };
  Axis x, y;
  std::vector<Cell> cells;    // row by row, x.cells in each
  std::uint64_t outside = 0;  // posts that have no cell
};

// Of a list of events what can be said in numbers; the events themselves: GroupView::events().
struct EventsValue {
  std::uint64_t posts = 0;    // until now, the dropped ones among them
  std::uint64_t slots = 0;    // so many of the last posts are there
  std::uint64_t bytes = 0;    // or as many as have so many bytes together; 0: all of them, whatever they have
  std::uint64_t refused = 0;  // that were larger than the list takes
};

// A value that is none of these: the header of its kind has a struct that derives from this one.
struct OwnValue {
  virtual ~OwnValue() = default;
};

using SensorValue = std::variant<std::monostate, CounterValue, GaugeValue, StatValue, CountersValue, HistogramValue,
                                 EventsValue, MapValue, std::shared_ptr<const OwnValue>>;

// RETURNS: null: the value is another.
template <class Value>
const Value* own_value(const SensorValue& value) {
  const auto* const own = std::get_if<std::shared_ptr<const OwnValue>>(&value);
  return own == nullptr ? nullptr : dynamic_cast<const Value*>(own->get());
}

class EventReader;

class GroupView {
 public:
  // `memory_fd` stays the caller's. `pid`: what the process is called here, where that is known; it may live in another
  // PID namespace.
  static base::Result<GroupView> attach(int memory_fd, int pid = 0);
  GroupView(GroupView&&) noexcept;
  GroupView& operator=(GroupView&&) noexcept;
  ~GroupView();

  const std::string& program() const;    // of a common group (common_group.hpp): "common"
  int pid() const;                       // of a common group: 0
  bool is_common() const;                // several processes post
  std::string instance() const;          // "robot#4711", or "common"
  int own_pid() const;                   // as the process calls itself
  std::uint64_t pid_start_time() const;  // as maxlat/base/process_start.hpp has it
  const std::string& group() const;
  const std::vector<SensorFacts>& sensors() const;
  // REQUIRES: a sensor of this group. RETURNS: std::monostate for one of an unknown kind.
  SensorValue read(const SensorFacts& sensor) const;
  // Reads a list's events, from the oldest that is still there on (event_reader.hpp). It keeps the memory, also when
  // the view is gone. REQUIRES: a list of events of this group.
  EventReader events(const SensorFacts& sensor, std::uint64_t patience_ns = 0) const;
  // The same sensors at the same places, by all that is constant in them: kinds, shapes, texts, types of events.
  bool is_made_as(const GroupView& other) const;
  // Of this memory: a group that is published anew has another.
  const std::array<std::uint8_t, 16>& uuid() const;
  int memory_fd() const;  // the view's own, for reading

 private:
  struct Body;
  explicit GroupView(std::shared_ptr<const Body> body);
  std::shared_ptr<const Body> body_;
};

// Groups that can be seen now, of all processes or of one: those of this user, or of everybody if that is root; a
// common one once. A process whose descriptors cannot be looked at has none. `refused`: gets a line for each that is
// there and is not what a monitor may believe, or of another version. ERRORS: with a pid, that there is no such
// process, or that it is not ours to look at.
base::Result<std::vector<GroupView>> find_groups(int pid = 0, std::vector<std::string>* refused = nullptr);

// A sensor's whole name is PROGRAM#PID/GROUP/NAME; that of one of a common group is common/GROUP/NAME. A pattern, with
// * ? [], matches it from any of its parts on, or up to any of them:
//
//   latency    server/*    robot/server/latency    robot#4711/server/latency    4711    robot
//
// In place of NAME stands #ID, too: server/#2.
bool matches(const std::string& pattern, const GroupView& group, const SensorFacts& sensor);

}  // namespace maxlat::sensors
