// SPDX-License-Identifier: MIT
//
// loop_for_counting LOOPS: runs the measured loop so often and nothing else, for tests/loop_instructions.py, which
// counts its instructions and reads its code.
#include <cstdlib>
#include <maxlat/base/histogram.hpp>

#include "counter_read.hpp"
#include "loop.hpp"

int main(int argc, char** argv) {
  using namespace maxlat::npt;
  if (argc != 2) return 1;
  const std::atomic<bool> never{false};
  std::atomic<bool> halt{false};
  maxlat::core::JournalSpec spec;
  spec.step_ticks = UINT64_MAX / 4;
  spec.steps = 1;
  spec.look_every_ticks = UINT64_MAX / 4;
  spec.outliers = 0;
  spec.stop = &never;
  spec.halt = &halt;
  maxlat::core::Journal journal(spec);
  maxlat::base::Histogram histogram;
  journal.begin(0);
  const uint64_t loops = std::strtoull(argv[1], nullptr, 10);
  return run_segment(FencedCounter{}, NoProbe{}, &histogram.raw(), &journal, loops).samples == loops ? 0 : 1;
}
