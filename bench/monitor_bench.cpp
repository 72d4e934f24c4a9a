// SPDX-License-Identifier: MIT
//
// What a monitor takes: to look at sensors that nobody posts to, to read lists and to merge them, to attach to a group,
// to list all sensors of a program. The monitor is the program itself, which posts nothing meanwhile: how long a
// monitor takes depends on no program.
//
//   cmake --build --preset release --target run_monitor_bench
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/event_merge.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <string>
#include <utility>
#include <vector>

MAXLAT_TRACE_EVENT(benched, three, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))

namespace {

using namespace maxlat::sensors;

constexpr std::size_t kIdle = 1000, kGroups = 10, kLists = 64, kSlots = 65536, kMergedSlots = 4096;

template <std::size_t... kEach>
std::array<Counter, sizeof...(kEach)> counters(std::index_sequence<kEach...>) {
  return {Counter(Name(Text<MAXLAT_SENSOR_NAME>::of("counter" + std::to_string(kEach))))...};
}
struct Idle {
  explicit Idle(int) : all(counters(std::make_index_sequence<kIdle>{})) {}
  std::array<Counter, kIdle> all;
};

template <std::size_t kCount>
struct Lists {
  EventList<kCount, MAXLAT_LISTED_EVENT(benched, three)> list{"list"};
};

template <class Sensors>
void publish(OwnedGroup<Sensors>& group, const std::string& name) {
  const auto published = group.publish(name);
  if (published) return;
  std::fprintf(stderr, "monitor_bench: %s\n", published.error().text.c_str());
  std::exit(1);
}

template <std::size_t kCount>
void fill(Lists<kCount>& lists) {
  for (std::uint64_t n = 0; n < kCount; ++n) MAXLAT_POST(lists.list, benched, three, n, n, n);
}

// Groups that stay published while all runs.
struct Program {
  std::vector<OwnedGroup<Idle>> idle;
  OwnedGroup<Lists<kSlots>> large;
  std::vector<OwnedGroup<Lists<kMergedSlots>>> merged;

  Program() {
    for (std::size_t i = 0; i < kGroups; ++i) publish(idle.emplace_back(0), "idle" + std::to_string(i));
    publish(large, "large");
    fill(*large);
    for (std::size_t i = 0; i < kLists; ++i) {
      publish(merged.emplace_back(), "merged" + std::to_string(i));
      fill(*merged.back());
    }
  }
};
Program& program() {
  static Program made;
  return made;
}

std::vector<GroupView> all_groups() {
  program();
  auto groups = find_groups(getpid());
  if (!groups) std::exit(1);
  return std::move(*groups);
}
GroupView group_of(std::string_view name) {
  for (GroupView& group : all_groups())
    if (group.group() == name) return std::move(group);
  std::exit(1);
}

void look_at_1000_idle_sensors(benchmark::State& state) {
  const GroupView group = group_of("idle0");
  for ([[maybe_unused]] auto each : state)
    for (const SensorFacts& sensor : group.sensors()) benchmark::DoNotOptimize(group.read(sensor));
}
BENCHMARK(look_at_1000_idle_sensors)->Unit(benchmark::kMicrosecond);

void read_a_list(benchmark::State& state) {
  const GroupView group = group_of("large");
  for ([[maybe_unused]] auto each : state) {
    EventReader reader = group.events(group.sensors()[0]);
    ListedEvent event;
    while (reader.next(event, 0) == EventStep::event) benchmark::DoNotOptimize(event.payload.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSlots));
}
BENCHMARK(read_a_list)->Unit(benchmark::kMillisecond);

void merge_64_lists(benchmark::State& state) {
  std::vector<GroupView> groups;
  for (GroupView& group : all_groups())
    if (group.group().starts_with("merged")) groups.push_back(std::move(group));
  for ([[maybe_unused]] auto each : state) {
    EventMerge merge({});
    for (const GroupView& group : groups) merge.add(group, group.sensors()[0]);
    merge.finish([](const MergedEvent& one) { benchmark::DoNotOptimize(one.event.payload.data()); });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLists * kMergedSlots));
}
BENCHMARK(merge_64_lists)->Unit(benchmark::kMillisecond);

void attach_to_a_group(benchmark::State& state) {
  const GroupView group = group_of("idle0");
  for ([[maybe_unused]] auto each : state) benchmark::DoNotOptimize(GroupView::attach(group.memory_fd()).ok());
}
BENCHMARK(attach_to_a_group)->Unit(benchmark::kMicrosecond);

void list_10000_sensors(benchmark::State& state) {
  for ([[maybe_unused]] auto each : state) {
    std::size_t listed = 0;
    for (const GroupView& group : all_groups())
      for (const SensorFacts& sensor : group.sensors()) listed += matches("counter*", group, sensor);
    if (listed != kGroups * kIdle) state.SkipWithError("not all were found");
  }
}
BENCHMARK(list_10000_sensors)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
