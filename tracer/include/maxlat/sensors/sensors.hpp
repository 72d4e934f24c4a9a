// SPDX-License-Identifier: MIT
//
// The sensors' C++ face: types that are constant-initialised, and one member function for each kind of post. A group is
// a struct of them (group.hpp):
//
//   struct ServerSensors {
//     maxlat::sensors::Counter requests{"requests", "", "requests that were answered"};
//     maxlat::sensors::Gauge queue{"queue", "", "requests that wait", {.lowest = 0, .highest = 100}};
//     maxlat::sensors::Histogram<> latency{"latency", "ns", "from request to answer"};
//   };
//   MAXLAT_SENSORS(server, ServerSensors)
//
//   server->requests.add();
//
// WRITERS. Counter, Gauge ... belong to one thread and its signal handlers; SharedCounter, SharedGauge ... to all
// threads, at the price of locked instructions (sensor.h, WHO WRITES).
// NAMES have the letters [A-Za-z0-9_.:+-] and no dot in front. A text that is too long or has other letters does not
// compile. Texts that are known only when the program runs: Text::of().
// ERRORS: none, a post cannot fail. THREADS, SIGNALS: a post is async-signal-safe, calls nothing and never waits.
#pragma once

#include <maxlat/sensors/counter.h>
#include <maxlat/sensors/counters.h>
#include <maxlat/sensors/gauge.h>
#include <maxlat/sensors/histogram.h>
#include <maxlat/sensors/linear.h>
#include <maxlat/sensors/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace maxlat::sensors {

inline constexpr auto kThread = MAXLAT_SENSOR_THREAD;
inline constexpr auto kShared = MAXLAT_SENSOR_SHARED;

// A text of fewer than kSize bytes, filled up with zeros.
template <std::size_t kSize>
struct Text {
  char bytes[kSize]{};

  consteval Text(const char* text) {
    std::size_t length = 0;
    for (; text[length] != 0; ++length) bytes[length] = text[length];  // beyond the end: does not compile
    if (length >= kSize) throw "the text is too long";
  }
  // Cut where it is too long.
  static constexpr Text of(std::string_view text) {
    Text made("");
    for (std::size_t i = 0; i < text.size() && i + 1 < kSize; ++i) made.bytes[i] = text[i];
    return made;
  }
};

constexpr bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '+' || c == '-';
}
constexpr bool is_name(std::string_view name) {
  if (name.empty() || name.front() == '.') return false;
  for (const char c : name)
    if (!is_name_letter(c)) return false;
  return true;
}

struct Name : Text<MAXLAT_SENSOR_NAME> {
  consteval Name(const char* text) : Text(text) {
    if (!is_name(text)) throw "a name has the letters [A-Za-z0-9_.:+-], and no dot in front";
  }
  constexpr Name(const Text& text) : Text(text) {}
};
using Unit = Text<MAXLAT_SENSOR_UNIT>;
using About = Text<MAXLAT_SENSOR_ABOUT>;

// Of a sensor of `size` bytes; `kind` is a maxlat_sensor_kind, or a number of your own.
constexpr maxlat_sensor sensor_head(std::uint16_t kind, std::uint16_t version, std::uint64_t size,
                                    maxlat_sensor_writers writers, const Name& name, const Unit& unit,
                                    const About& about, std::array<std::uint64_t, 2> shape = {}) {
  maxlat_sensor made{};
  made.magic = MAXLAT_SENSOR_MAGIC;
  made.kind = kind;
  made.layout_version = version;
  made.size = size;
  made.writers = writers;
  made.shape[0] = shape[0];
  made.shape[1] = shape[1];
  for (std::size_t i = 0; i < sizeof made.name; ++i) made.name[i] = name.bytes[i];
  for (std::size_t i = 0; i < sizeof made.unit; ++i) made.unit[i] = unit.bytes[i];
  for (std::size_t i = 0; i < sizeof made.about; ++i) made.about[i] = about.bytes[i];
  return made;
}

template <maxlat_sensor_writers kWriters>
class CounterOf {
 public:
  constexpr CounterOf(const Name& name, const Unit& unit = "", const About& about = "")
      : words_{.sensor = sensor_head(MAXLAT_SENSOR_COUNTER, MAXLAT_COUNTER_VERSION, sizeof(maxlat_counter), kWriters,
                                     name, unit, about),
               .value = 0,
               .unused = {}} {}

  void add(std::uint64_t amount = 1) { maxlat_counter_add(kWriters, &words_, amount); }
  constexpr const maxlat_sensor& head() const { return words_.sensor; }

 private:
  maxlat_counter words_;
};

// Both allowed.
struct Limits {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();
};

template <maxlat_sensor_writers kWriters>
class GaugeOf {
 public:
  constexpr GaugeOf(const Name& name, const Unit& unit = "", const About& about = "", Limits limits = {})
      : words_{.sensor = sensor_head(
                   MAXLAT_SENSOR_GAUGE, MAXLAT_GAUGE_VERSION, sizeof(maxlat_gauge), kWriters, name, unit, about,
                   {static_cast<std::uint64_t>(limits.lowest), static_cast<std::uint64_t>(limits.highest)}),
               .value = 0,
               .unused = {}} {}

  void set(std::int64_t value) { maxlat_gauge_set(&words_, value); }
  void add(std::int64_t amount = 1) { maxlat_gauge_add(kWriters, &words_, amount); }
  void subtract(std::int64_t amount = 1) { add(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(amount))); }

 private:
  maxlat_gauge words_;
};

template <maxlat_sensor_writers kWriters>
class StatOf {
 public:
  constexpr StatOf(const Name& name, const Unit& unit = "", const About& about = "")
      : words_{.sensor = sensor_head(MAXLAT_SENSOR_STAT, MAXLAT_STAT_VERSION, sizeof(maxlat_stat), kWriters, name,
                                     unit, about),
               .begun = 0,
               .value = 0,
               .min = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
               .max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min()),
               .sum = 0,
               .count = 0,
               .unused = {}} {}

  void post(std::int64_t value) { maxlat_stat_post(kWriters, &words_, value); }

 private:
  maxlat_stat words_;
};

namespace detail {

// A counter without a label is called by its number, what is beyond the last "(outside)": as readers know them. More
// labels than so many would be too many steps for a compiler.
template <std::size_t kCount>
constexpr bool are_apart(const std::array<Text<MAXLAT_COUNTERS_LABEL>, kCount>& labels) {
  if (kCount > 256) return true;
  std::array<std::array<char, MAXLAT_COUNTERS_LABEL>, kCount + 1> names{};
  const auto put = [&](std::size_t i, std::string_view text) { std::copy(text.begin(), text.end(), names[i].begin()); };
  for (std::size_t i = 0; i < kCount; ++i) {
    if (labels[i].bytes[0] != 0) {
      put(i, labels[i].bytes);
      continue;
    }
    std::array<char, 8> digits{};
    std::size_t first = digits.size();
    for (std::size_t left = i; first == digits.size() || left != 0; left /= 10)
      digits[--first] = static_cast<char>('0' + left % 10);
    put(i, std::string_view(digits.data() + first, digits.size() - first));
  }
  put(kCount, "(outside)");
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

}  // namespace detail

// Labels that are the same do not compile: they would be one counter to whoever reads them. Where they are known only
// when the program runs, readers make them different.
template <std::size_t kCount, maxlat_sensor_writers kWriters>
class CountersOf {
  static_assert(kCount > 0 && kCount <= MAXLAT_COUNTERS_MAX);

 public:
  using Label = Text<MAXLAT_COUNTERS_LABEL>;

  constexpr CountersOf(const Name& name, const std::array<Label, kCount>& labels, const Unit& unit = "",
                       const About& about = "")
      : words_{.sensor = sensor_head(MAXLAT_SENSOR_COUNTERS, MAXLAT_COUNTERS_VERSION, maxlat_counters_size(kCount),
                                     kWriters, name, unit, about, {kCount, 0}),
               .outside = 0,
               .unused = {}} {
    if (std::is_constant_evaluated() && !detail::are_apart(labels))
      throw "two labels are the same, or one is another's number, or \"(outside)\"";
    for (std::size_t i = 0; i < kCount; ++i)
      for (std::size_t at = 0; at < sizeof labels_[i]; ++at) labels_[i][at] = labels[i].bytes[at];
  }

  void add(std::size_t index, std::uint64_t amount = 1) {
    maxlat_counters_add(kWriters, &words_, values_, kCount, index, amount);
  }
  constexpr const maxlat_sensor& head() const { return words_.sensor; }

 private:
  maxlat_counters words_;
  alignas(64) std::uint64_t values_[kCount]{};
  alignas(64) char labels_[kCount][MAXLAT_COUNTERS_LABEL]{};
};

// The shape: values are wrong by less than 2^-kSubBits when they are read back, and 2^kRangeBits is beyond the range.
// 9 KiB; base's standard shape is Histogram<10, 40>.
template <unsigned kSubBits, unsigned kRangeBits, maxlat_sensor_writers kWriters>
class HistogramOf {
  static constexpr maxlat_histogram_shape kShape{kSubBits, kRangeBits};
  static_assert(maxlat_shape_valid(kShape) != 0);

 public:
  constexpr HistogramOf(const Name& name, const Unit& unit = "", const About& about = "")
      : words_{.sensor = sensor_head(MAXLAT_SENSOR_HISTOGRAM, MAXLAT_HISTOGRAM_SENSOR_VERSION,
                                     maxlat_histogram_sensor_size(kShape), kWriters, name, unit, about,
                                     {kSubBits, kRangeBits}),
               .head = empty()} {}

  // `time` is kept only for a value beyond the range.
  void post(std::uint64_t value, std::uint64_t time = 0) {
    maxlat_histogram_sensor_post(kWriters, &words_.head, buckets_, kShape, value, time);
  }
  // The bucket alone: sum, mean and extremes are then the reader's to estimate. REQUIRES: the value is in range.
  void count_in_range(std::uint64_t value) { maxlat_histogram_sensor_count(kWriters, buckets_, kShape, value); }
  constexpr const maxlat_sensor& head() const { return words_.sensor; }
  // As base's own, for code that knows that: one thread posts, in no handler. As long as the head has no moments (min
  // above max), they are the reader's to estimate.
  maxlat_histogram& in_place() requires(kSubBits == MAXLAT_HISTOGRAM_SUB_BITS &&
                                        kRangeBits == MAXLAT_HISTOGRAM_RANGE_BITS) {
    static_assert(sizeof(HistogramOf) == sizeof(maxlat_sensor) + sizeof(maxlat_histogram), "nothing between them");
    return reinterpret_cast<maxlat_histogram&>(words_.head);
  }

 private:
  static constexpr maxlat_histogram_head empty() {
    maxlat_histogram_head head{};
    head.magic = MAXLAT_HISTOGRAM_MAGIC;
    head.version = MAXLAT_HISTOGRAM_VERSION;
    head.sub_bits = kSubBits;
    head.bucket_count = maxlat_shape_buckets(kShape);
    head.min = ~0ull;
    return head;
  }

  maxlat_histogram_sensor words_;
  alignas(64) std::uint64_t buckets_[maxlat_shape_buckets(kShape)]{};
};

// Buckets, or cells, of one width.
struct Cells {
  std::uint64_t low = 0;
  std::uint64_t width = 1;
  std::uint64_t count = 1;
  constexpr maxlat_linear_axis axis() const { return {low, width, count}; }
};

// For values that are close to each other; what is below and above is counted.
template <Cells kCells, maxlat_sensor_writers kWriters>
class LinearHistogramOf {
  static constexpr maxlat_linear_axis kAxis = kCells.axis();
  static_assert(maxlat_linear_valid(kAxis), "buckets of a width from 1 to 2^40, and 2^16 of them at most");

 public:
  constexpr LinearHistogramOf(const Name& name, const Unit& unit = "", const About& about = "")
      : words_{.sensor = sensor_head(MAXLAT_SENSOR_LINEAR, MAXLAT_LINEAR_VERSION, maxlat_linear_size(kAxis.buckets),
                                     kWriters, name, unit, about, {kAxis.low, maxlat_linear_shape_word(kAxis)}),
               .below = 0,
               .above = 0,
               .sum = 0,
               .min = ~0ull,
               .max = 0,
               .unused = {}} {
    static_assert(sizeof(LinearHistogramOf) == maxlat_linear_size(kAxis.buckets));
  }

  void post(std::uint64_t value) { maxlat_linear_post(kWriters, &words_, buckets_, kAxis, value); }
  // The bucket alone: sum, mean and extremes are then the reader's to estimate.
  void count(std::uint64_t value) { maxlat_linear_count(kWriters, &words_, buckets_, kAxis, value); }
  constexpr const maxlat_sensor& head() const { return words_.sensor; }

 private:
  maxlat_linear words_;
  alignas(64) std::uint64_t buckets_[kAxis.buckets]{};
};

using Counter = CounterOf<kThread>;
using SharedCounter = CounterOf<kShared>;
using Gauge = GaugeOf<kThread>;
using SharedGauge = GaugeOf<kShared>;
using Stat = StatOf<kThread>;
using SharedStat = StatOf<kShared>;
template <std::size_t kCount>
using Counters = CountersOf<kCount, kThread>;
template <std::size_t kCount>
using SharedCounters = CountersOf<kCount, kShared>;
template <unsigned kSubBits = 5, unsigned kRangeBits = 40>
using Histogram = HistogramOf<kSubBits, kRangeBits, kThread>;
template <unsigned kSubBits = 5, unsigned kRangeBits = 40>
using SharedHistogram = HistogramOf<kSubBits, kRangeBits, kShared>;
template <Cells kCells>
using LinearHistogram = LinearHistogramOf<kCells, kThread>;
template <Cells kCells>
using SharedLinearHistogram = LinearHistogramOf<kCells, kShared>;

}  // namespace maxlat::sensors
