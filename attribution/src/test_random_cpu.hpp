// SPDX-License-Identifier: MIT
//
// Nested events of a CPU made at random, of which it is known who had each tick, for tests.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "test_events.hpp"

namespace maxlat::attribution::test {

class RandomCpu {
 public:
  explicit RandomCpu(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) {
      pass(kMeterItself);
      if (random_() % 3 == 0)
        run_task();
      else
        run_interrupts(0);
    }
    pass(kMeterItself);
  }

  // Loses some of the events between two, as an overwritten page does.
  void lose() {
    if (events_.size() < 2) return;
    const size_t first = random_() % events_.size(), last = first + random_() % (events_.size() - first);
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(first),
                  events_.begin() + static_cast<std::ptrdiff_t>(last));
    const uint64_t seen_again = first < events_.size() ? events_[first].tick : now_ + 5;
    events_.insert(events_.begin() + static_cast<std::ptrdiff_t>(first), event(seen_again, EventKind::hole));
  }

  const std::vector<KernelEvent>& events() const { return events_; }
  uint64_t end() const { return now_; }
  // By name, with the meter's own time.
  const std::map<std::string, uint64_t>& truth() const { return truth_; }
  static constexpr const char* kMeterItself = "";

 private:
  void pass(const std::string& owner) {
    const uint64_t ticks = 1 + random_() % 100;
    now_ += ticks;
    truth_[owner] += ticks;
  }
  void run_interrupts(int depth) {
    const auto line = static_cast<int32_t>(random_() % 4);
    const bool soft = depth == 0 && random_() % 2 == 0;
    const std::string name =
        soft ? fmt::format("softirq {}", 100 + line) : fmt::format("irq {} dev", line + 10 * depth);
    const int32_t number = soft ? 100 + line : line + 10 * depth;
    events_.push_back(soft ? event(now_, EventKind::softirq_entry, number)
                           : event(now_, EventKind::irq_entry, number, "dev"));
    pass(name);
    if (depth < 3 && random_() % 2 == 0) {
      run_interrupts(depth + 1);
      pass(name);
    }
    events_.push_back(event(now_, soft ? EventKind::softirq_exit : EventKind::irq_exit, number));
  }
  void run_task() {
    const auto thread = static_cast<int32_t>(1 + random_() % 3);
    const std::string name = fmt::format("task t (tid {}, nice 0)", thread);
    events_.push_back(switch_to(now_, thread, "t"));
    pass(name);
    if (random_() % 2 == 0) {
      run_interrupts(1);
      pass(name);
    }
    events_.push_back(back_to_meter(now_));
  }

  std::mt19937_64 random_;
  uint64_t now_ = 1000;
  std::vector<KernelEvent> events_;
  std::map<std::string, uint64_t> truth_;
};

}  // namespace maxlat::attribution::test
