// SPDX-License-Identifier: MIT
//
// Sensors that many threads post to and none waits for: each thread has a stripe of its own (striped.h).
//
//   struct PoolSensors {
//     maxlat::sensors::StripedCounter<64> jobs{"jobs", "", "jobs that were done"};
//     maxlat::sensors::StripedHistogram<64> latency{"latency", "ns", "from request to answer"};
//   };
//   MAXLAT_SENSORS(pool, PoolSensors)
//
//   void worker() {
//     const maxlat::sensors::OwnStripe stripe;  // this thread has one, in each striped sensor, as long as this lives
//     ...
//     pool->jobs.add();
//   }
//
// A thread without OwnStripe, or with a number beyond the sensor's stripes, posts to one that all such threads share,
// with locked instructions: nothing is lost, and nothing refused.
// A monitor sees one sensor of the kind, with the sum of all stripes. What a thread posted stays when it ends; the next
// that gets its number goes on there.
// MEMORY: each stripe is a whole sensor: 256 bytes for a counter, 10 KiB for a Histogram<>.
// COST of a post: that of the kind, and seven instructions (sensors/cost_test.cpp). OwnStripe: an atomic exchange or
// two; no system call.
// THREADS, SIGNALS: any; handlers post to the stripe of the thread that they interrupt. FORK: the child's thread keeps
// its number, those of threads that are not there are free. A module loaded at run time: as trace/thread.hpp says.
#pragma once

#include <maxlat/sensors/striped.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <maxlat/sensors/sensors.hpp>
#include <utility>

namespace maxlat::sensors {

namespace detail {
// 0: none.
extern constinit thread_local std::uint32_t own_stripe __attribute__((tls_model("initial-exec")));
// In the child of a fork. Async-signal-safe.
void keep_own_stripe_alone();
}  // namespace detail

// A number for this thread, the lowest that is free. With none free, or where the thread has one already (this scope is
// within another's), nothing changes.
class OwnStripe {
 public:
  OwnStripe();
  ~OwnStripe();
  OwnStripe(const OwnStripe&) = delete;
  OwnStripe& operator=(const OwnStripe&) = delete;

 private:
  std::uint32_t number_;  // that this gave; 0: none
};

namespace detail {

template <class Shared, class Own, std::size_t kStripes>
class Striped {
  static_assert(kStripes > 0 && kStripes < MAXLAT_STRIPED_MAX);
  static_assert(sizeof(Shared) == sizeof(Own));

 public:
  constexpr Striped(const Name& name, const Unit& unit = "", const About& about = "")
      : Striped(std::make_index_sequence<kStripes>{}, name, unit, about) {}

 protected:
  template <std::size_t... kEach, class... Rest>
  constexpr Striped(std::index_sequence<kEach...>, const Name& name, const Rest&... rest)
      : shared_(name, rest...), own_{((void)kEach, Own(name, rest...))...} {
    head_ = shared_.head();
    head_.kind = MAXLAT_SENSOR_STRIPED;
    head_.layout_version = MAXLAT_STRIPED_VERSION;
    head_.size = sizeof(Striped);
    head_.shape[0] = kStripes + 1;
    head_.shape[1] = sizeof(Shared);
  }

  // What `post` does to a sensor, to this thread's.
  template <class Post>
  [[gnu::always_inline]] void to_mine(const Post& post) {
    const std::uint32_t mine = own_stripe;
    // One comparison for both: without a number, and beyond the last.
    if (MAXLAT_LIKELY(mine - 1 < kStripes))
      post(own_[mine - 1]);
    else
      post(shared_);
  }

 private:
  maxlat_sensor head_{};
  Shared shared_;
  Own own_[kStripes];
};

}  // namespace detail

template <std::size_t kStripes>
class StripedCounter : public detail::Striped<SharedCounter, Counter, kStripes> {
 public:
  using detail::Striped<SharedCounter, Counter, kStripes>::Striped;
  void add(std::uint64_t amount = 1) {
    this->to_mine([amount](auto& counter) { counter.add(amount); });
  }
};

template <std::size_t kStripes, std::size_t kCount>
class StripedCounters : public detail::Striped<SharedCounters<kCount>, Counters<kCount>, kStripes> {
 public:
  using Label = typename Counters<kCount>::Label;
  constexpr StripedCounters(const Name& name, const std::array<Label, kCount>& labels, const Unit& unit = "",
                            const About& about = "")
      : detail::Striped<SharedCounters<kCount>, Counters<kCount>, kStripes>(std::make_index_sequence<kStripes>{}, name,
                                                                            labels, unit, about) {}
  void add(std::size_t index, std::uint64_t amount = 1) {
    this->to_mine([index, amount](auto& counters) { counters.add(index, amount); });
  }
};

template <std::size_t kStripes, unsigned kSubBits = 5, unsigned kRangeBits = 40>
class StripedHistogram
    : public detail::Striped<SharedHistogram<kSubBits, kRangeBits>, Histogram<kSubBits, kRangeBits>, kStripes> {
 public:
  using detail::Striped<SharedHistogram<kSubBits, kRangeBits>, Histogram<kSubBits, kRangeBits>, kStripes>::Striped;
  void post(std::uint64_t value, std::uint64_t time = 0) {
    this->to_mine([value, time](auto& histogram) { histogram.post(value, time); });
  }
  void count_in_range(std::uint64_t value) {
    this->to_mine([value](auto& histogram) { histogram.count_in_range(value); });
  }
};

template <std::size_t kStripes, Cells kCells>
class StripedLinearHistogram
    : public detail::Striped<SharedLinearHistogram<kCells>, LinearHistogram<kCells>, kStripes> {
 public:
  using detail::Striped<SharedLinearHistogram<kCells>, LinearHistogram<kCells>, kStripes>::Striped;
  void post(std::uint64_t value) {
    this->to_mine([value](auto& histogram) { histogram.post(value); });
  }
  void count(std::uint64_t value) {
    this->to_mine([value](auto& histogram) { histogram.count(value); });
  }
};

}  // namespace maxlat::sensors
