// SPDX-License-Identifier: MIT
//
// loop_for_counting LOOPS [sensors]: runs the measured loop so often and nothing else, for tests/loop_instructions.py,
// which counts its instructions and reads its code. With `sensors` others see its books, as with npt --sensors.
#include <cstdlib>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <memory>
#include <string_view>

#include "counter_read.hpp"
#include "live/cpu_sensors.hpp"
#include "loop.hpp"

int main(int argc, char** argv) {
  using namespace maxlat::npt;
  const bool seen = argc == 3 && std::string_view(argv[2]) == "sensors";
  if (argc != 2 && !seen) return 1;
  const std::atomic<bool> never{false};
  std::atomic<bool> halt{false};
  maxlat::core::JournalSpec spec;
  spec.step_ticks = UINT64_MAX / 4;
  spec.steps = 1;
  spec.look_every_ticks = UINT64_MAX / 4;
  spec.outliers = 0;
  spec.stop = &never;
  spec.halt = &halt;
  const maxlat::base::CounterClock clock = maxlat::base::clock_with_rate(1.0);
  std::unique_ptr<CpuSensors> sensors;
  if (seen) {
    auto published = CpuSensors::publish(0, clock);
    if (!published) return 1;
    sensors = *std::move(published);
    spec.show = CpuSensors::show;
    spec.show_state = sensors.get();
  }
  maxlat::core::Journal journal(spec);
  maxlat::base::Histogram histogram = seen ? maxlat::base::Histogram::in(sensors->gaps()) : maxlat::base::Histogram();
  journal.begin(0);
  const uint64_t loops = std::strtoull(argv[1], nullptr, 10);
  return run_segment(FencedCounter{}, NoProbe{}, &histogram.raw(), &journal, loops).samples == loops ? 0 : 1;
}
