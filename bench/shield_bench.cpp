// SPDX-License-Identifier: MIT
//
// How long a shield takes on and off, on a machine on paper: 64 CPUs and 2000 tasks, and less of either, so that one
// sees what grows with what. The files are real, and in memory as those of /proc are; the journal is on a disk.
#include <benchmark/benchmark.h>

#include <chrono>
#include <maxlat/test/temporary_folder.hpp>

#include "change/test_large_box.hpp"
#include "steps/shield.hpp"

namespace maxlat::shield {
namespace {

void on_and_off(benchmark::State& state) {
  const LargeBox box(static_cast<unsigned>(state.range(0)), static_cast<int>(state.range(1)));
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
    FakeSurface surface(box.fake, box.view());
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
