// SPDX-License-Identifier: MIT
//
// sensor:counter, sensor:histogram, sensor:alist, sensor:vlist and sensor:glist: each event is a post into a sensor
// that others can read while the loop runs (docs/sensors.md): a count, a value of a histogram, an event with its fields
// in a list of the last 1024. The lists have the names of Pohlack 2010: of one thread, of events that vary in size, of
// many threads.
//
// Each measuring thread has a group of its own, as a program has; into a glist others could post, and none does. What
// was posted is read at the end as any monitor reads it; by monitors=N also meanwhile (sensor_monitors.hpp).
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <maxlat/base/moment.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "npt_events.hpp"
#include "sensor_monitors.hpp"

namespace maxlat::npt {
namespace {

struct CounterSensors {
  static constexpr std::string_view kVerifiedBy = "the counters, read as monitors read them";

  sensors::Counter events{"events", "", "events of the loop, its start and stop among them"};

  void start() { events.add(); }
  void loop(uint64_t, uint64_t, double) { events.add(); }
  void stop() { events.add(); }
};

struct HistogramSensors {
  static constexpr std::string_view kVerifiedBy = "the buckets' sums, read as monitors read them";

  sensors::Histogram<> gaps{"gaps", "ns", "gaps of the loop"};
  sensors::Counter boundaries{"boundaries", "", "starts and stops of the loop"};

  void start() { boundaries.add(); }
  void loop(uint64_t, uint64_t, double duration) { gaps.post(static_cast<uint64_t>(duration)); }
  void stop() { boundaries.add(); }
};

#define MAXLAT_NPT_LISTED \
  MAXLAT_LISTED_EVENT(npt, start), MAXLAT_LISTED_EVENT(npt, loop), MAXLAT_LISTED_EVENT(npt, stop)
constexpr std::size_t kEvents = 1024;

template <class List>
struct ListSensors {
  static constexpr std::string_view kVerifiedBy =
      "the books of a reader of the list; what was overwritten was recorded before";

  List events{"events", "the last events of the loop"};

  void start() { MAXLAT_POST(events, npt, start); }
  void stop() { MAXLAT_POST(events, npt, stop); }
  void loop(uint64_t count, uint64_t ticks, double duration) { MAXLAT_POST(events, npt, loop, count, ticks, duration); }
};

using AListSensors = ListSensors<sensors::EventList<kEvents, MAXLAT_NPT_LISTED>>;
using VListSensors = ListSensors<sensors::VarEventList<kEvents, 32 * kEvents, MAXLAT_NPT_LISTED>>;
using GListSensors = ListSensors<sensors::SharedEventList<kEvents, MAXLAT_NPT_LISTED>>;

// One thread's group, and a monitor of it.
template <class Sensors>
class ThreadSensors {
 public:
  core::Status publish(unsigned number) {
    const std::string name = fmt::format("npt-{}", number);
    if (const core::Status status = group_.publish(name); !status) return status;
    auto groups = sensors::find_groups(::getpid());
    if (!groups) return groups.error();
    for (sensors::GroupView& group : *groups)
      if (group.group() == name) view_.emplace(std::move(group));
    if (!view_) return core::Error{fmt::format("the sensors {} cannot be seen", name)};
    for (const sensors::SensorFacts& facts : view_->sensors())
      if (facts.kind == sensors::SensorKind::events) reader_.emplace(view_->events(facts));
    return {};
  }
  Sensors& operator*() { return *group_; }

  void enter(core::EventCounts& counts) {
    for (const sensors::SensorFacts& facts : view_->sensors()) {
      const sensors::SensorValue value = view_->read(facts);
      if (const auto* counter = std::get_if<sensors::CounterValue>(&value)) counts.recorded += counter->value;
      if (const auto* histogram = std::get_if<sensors::HistogramValue>(&value)) counts.recorded += histogram->total;
    }
    if (!reader_) return;
    sensors::ListedEvent event;
    while (reader_->next(event, base::monotonic_ns()) != sensors::EventStep::none) {
    }
    const sensors::EventBooks books = reader_->books();
    counts.recorded += books.delivered + books.late + books.overwritten;
    counts.lost_full += books.dropped;
  }

 private:
  sensors::OwnedGroup<Sensors> group_;
  std::optional<sensors::GroupView> view_;
  std::optional<sensors::EventReader> reader_;
};

template <class Sensors>
class ArmOfSensors : public Arm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    ns_per_tick_ = surroundings.clock.to_ns(1.0);
    return {};
  }

  core::Status prepare_thread() override {
    const std::lock_guard lock(mutex_);
    auto& made = threads_.emplace_back(std::make_unique<ThreadSensors<Sensors>>());
    if (const core::Status status = made->publish(static_cast<unsigned>(threads_.size() - 1)); !status) return status;
    mine = &**made;
    return {};
  }
  maxlat_npt_probe probe() override { return {this, start, loop, stop}; }

  ArmBooks finish(const ArmRun&) override {
    ArmBooks books;
    core::EventCounts counts;
    for (const auto& thread : threads_) thread->enter(counts);
    books.events = counts;
    books.verified_by = Sensors::kVerifiedBy;
    return books;
  }

 private:
  static void start(void*) { mine->start(); }
  static void stop(void*) { mine->stop(); }
  static void loop(void* state, uint64_t count, uint64_t ticks) {
    mine->loop(count, ticks, static_cast<double>(ticks) * static_cast<ArmOfSensors*>(state)->ns_per_tick_);
  }

  static constinit inline thread_local Sensors* mine = nullptr;  // of the measuring thread

  double ns_per_tick_ = 0;
  std::mutex mutex_;  // threads are prepared together
  std::vector<std::unique_ptr<ThreadSensors<Sensors>>> threads_;
};

template <class Sensors>
std::unique_ptr<Arm> make_arm_of() {
  return std::make_unique<ArmOfSensors<Sensors>>();
}

// Which it is, the policy says.
constexpr std::pair<std::string_view, std::unique_ptr<Arm> (*)()> kSensors[] = {
    {"counter", make_arm_of<CounterSensors>},
    {"histogram", make_arm_of<HistogramSensors>},
    {"alist", make_arm_of<AListSensors>},
    {"vlist", make_arm_of<VListSensors>},
    {"glist", make_arm_of<GListSensors>}};

std::vector<std::string_view> policies() {
  std::vector<std::string_view> names;
  for (const auto& [name, make] : kSensors) names.push_back(name);
  return names;
}

class SensorArm : public Arm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    for (const auto& [name, make] : kSensors)
      if (name == surroundings.spec.policy) arm_ = make();
    unprepared_.store(surroundings.measured_cpus.size(), std::memory_order_relaxed);  // relaxed: no thread yet
    if (const core::Status status = monitors_.start(surroundings); !status) return status;
    return arm_->set_up(surroundings);
  }
  core::Status prepare_thread() override {
    if (const core::Status status = arm_->prepare_thread(); !status) return status;
    // relaxed: a count alone; who is last waits for the monitors, and the others wait for it
    const bool is_last = unprepared_.fetch_sub(1, std::memory_order_relaxed) == 1;
    return is_last ? monitors_.wait_until_they_look() : core::Status{};
  }
  maxlat_npt_probe probe() override { return arm_->probe(); }
  std::optional<double> consumer_cpu_s() const override { return monitors_.cpu_seconds(); }
  ArmBooks finish(const ArmRun& run) override {
    ArmBooks books = arm_->finish(run);
    monitors_.finish(books);
    return books;
  }

 private:
  std::unique_ptr<Arm> arm_;
  SensorMonitors monitors_;
  std::atomic<size_t> unprepared_{0};
};

}  // namespace

extern const ArmDefinition kSensorArm{.name = "sensor",
                                      .make = [] { return std::unique_ptr<Arm>(std::make_unique<SensorArm>()); },
                                      .policies = policies(),
                                      .has_monitors = true};

}  // namespace maxlat::npt
