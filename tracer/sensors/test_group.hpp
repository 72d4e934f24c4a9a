// SPDX-License-Identifier: MIT
// For tests: one sensor of each kind, in a group of its own that is published as long as this lives.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/map.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <new>
#include <stdexcept>

namespace maxlat::sensors::test {

template <maxlat_sensor_writers kWriters>
struct OneOfEach {
  CounterOf<kWriters> counter{"counter", "packets", "what was counted"};
  GaugeOf<kWriters> gauge{"gauge", "", "what goes up and down", {.lowest = -5, .highest = 5}};
  StatOf<kWriters> stat{"stat", "ns"};
  CountersOf<3, kWriters> counters{"counters", {"first", "", "third"}};
  HistogramOf<2, 10, kWriters> histogram{"histogram", "ns"};
  LinearHistogramOf<Cells{.low = 10, .width = 7, .count = 5}, kWriters> linear{"linear", "C"};
  MapOf<Cells{.low = 0, .width = 8, .count = 3}, Cells{.low = 5, .width = 3, .count = 2}, kWriters> map{
      "map", "ns", {"width", "px"}, {"height"}, "over two others"};
};

// A group of one.
struct Counted {
  Counter count{"count"};
};

// The memory of a group of this process.
// The number that this process has it by. RETURNS: -1: it has none.
inline int number_of(const std::string& group) {
  for (int number = 0; number < 1024; ++number) {
    char target[128]{};
    if (readlink(("/proc/self/fd/" + std::to_string(number)).c_str(), target, sizeof target - 1) > 0 &&
        std::string_view(target).starts_with("/memfd:maxlat-sensors:" + group + " "))
      return number;
  }
  return -1;
}
// Opened anew, as another program of the same user comes to it. RETURNS: -1: none.
inline int descriptor_of(const std::string& group, int flags) {
  return open(("/proc/self/fd/" + std::to_string(number_of(group))).c_str(), flags | O_CLOEXEC);
}

// RETURNS: the exit status of a child that runs this.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// While it lives this process gets no more memory: a mapping that is asked for is refused.
class NoMoreMemory {
 public:
  NoMoreMemory() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit little{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)), before_.rlim_max};
    setrlimit(RLIMIT_AS, &little);
  }
  ~NoMoreMemory() { setrlimit(RLIMIT_AS, &before_); }
  NoMoreMemory(const NoMoreMemory&) = delete;
  NoMoreMemory& operator=(const NoMoreMemory&) = delete;

 private:
  rlimit before_{};
};

// As a monitor sees it.
inline GroupView view_of(const std::string& name) {
  base::Result<std::vector<GroupView>> all = find_groups(getpid());
  EXPECT_TRUE(all) << all.error().text;
  for (GroupView& group : *all)
    if (group.group() == name) return std::move(group);
  throw std::runtime_error("not to be seen: " + name);
}

template <class Sensors>
class TestGroup {
 public:
  explicit TestGroup(std::string_view name = "test") : name_(name) { EXPECT_TRUE(publish()) << publish().error().text; }
  TestGroup(const TestGroup&) = delete;
  TestGroup& operator=(const TestGroup&) = delete;

  base::Status publish() { return published_ ? base::Status{} : again(); }
  base::Status again() {
    base::Status status = group_.publish(name_);
    published_ = published_ || status.ok();
    return status;
  }
  Sensors* operator->() { return group_.operator->(); }
  SensorGroup<Sensors>& pages() { return group_.pages(); }

  GroupView view() const { return view_of(name_); }

 private:
  OwnedGroup<Sensors> group_;
  std::string name_;
  bool published_ = false;
};

inline const SensorFacts& facts_of(const GroupView& view, std::string_view name) {
  for (const SensorFacts& sensor : view.sensors())
    if (sensor.name == name) return sensor;
  throw std::runtime_error("no sensor " + std::string(name));
}

template <class Value>
Value value_of(const GroupView& view, std::string_view name) {
  return std::get<Value>(view.read(facts_of(view, name)));
}

}  // namespace maxlat::sensors::test
