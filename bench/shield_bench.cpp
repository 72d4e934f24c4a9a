// SPDX-License-Identifier: MIT
//
// How long a shield takes on and off, on a machine on paper: 64 CPUs and 2000 tasks, and less of either, so that one
// sees what grows with what. The files are real, and in memory as those of /proc are; the journal is on a disk.
#include <benchmark/benchmark.h>

#include <chrono>
#include <maxlat/test/temporary_folder.hpp>

#include "change/test_box.hpp"
#include "steps/shield.hpp"

namespace maxlat::shield {
namespace {

struct Box {
  Box(unsigned cpus, int tasks) : fake(Hierarchy::v2) {
    const std::string all = fmt::format("0-{}", cpus - 1);
    fake.file("/sys/devices/system/cpu/online", all + "\n");
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
      const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/", cpu);
      fake.file(folder + "cpufreq/scaling_governor", "powersave\n");
      for (int state = 0; state < 4; ++state) {
        fake.file(fmt::format("{}cpuidle/state{}/latency", folder, state), fmt::format("{}\n", state * 40));
        fake.file(fmt::format("{}cpuidle/state{}/disable", folder, state), "0\n");
      }
      fake.file(fmt::format("/proc/irq/{}/smp_affinity_list", 100 + cpu), all + "\n");
    }
    for (int task = 1000; task < 1000 + tasks; ++task) fake.thread(task, task, "worker", all, 0, 1);
    for (unsigned cpu = 0; cpu < cpus; ++cpu) (cpu < cpus / 2 ? housekeeping : shielded).push_back(cpu);
  }
  FakeBox fake;
  core::CpuList shielded, housekeeping;
};

void on_and_off(benchmark::State& state) {
  const Box box(static_cast<unsigned>(state.range(0)), static_cast<int>(state.range(1)));
  const test::TemporaryFolder folder;
  const ShieldPlan plan{.cpus = box.shielded, .housekeeping = box.housekeeping, .journal = folder / "shield.journal"};
  double on = 0, off = 0;
  int changes = 0;
  const auto seconds_of = [](const auto& work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  };
  for (auto _ : state) {
    FakeSurface surface(box.fake, box.fake.view(box.shielded, box.housekeeping));
    on += seconds_of([&] {
      if (const auto made = shield_on(plan, surface); !made) state.SkipWithError(made.error().text.c_str());
    });
    off += seconds_of([&] {
      if (const auto undone = shield_off(plan.journal, surface, false); !undone)
        state.SkipWithError(undone.error().text.c_str());
    });
    changes = surface.changes;
  }
  const double rounds = static_cast<double>(state.iterations());
  state.counters["on_s"] = on / rounds;
  state.counters["off_s"] = off / rounds;
  state.counters["changes"] = changes;
}
BENCHMARK(on_and_off)->Args({4, 20})->Args({64, 20})->Args({4, 2000})->Args({64, 2000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace maxlat::shield

BENCHMARK_MAIN();
