// SPDX-License-Identifier: MIT
//
// Several runs of the same thing: how much their figures differ though nothing was changed, and what difference so many
// runs of two builds would find (core/stats/repeats.hpp; compare/regressions_test.cpp counts that they do). Phases are
// the same when their names are.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::reports {

struct NoiseRow {
  std::string measure;            // "p99.99", "max"
  bool of_the_tail = false;       // p99.9 and beyond, and the maximum: few samples tell it
  std::vector<double> values_ns;  // one a run
  double resolution_ns = 0;       // the widest bin that one of them is the edge of: no difference below it is seen
  // The smallest difference that as many runs of another build find; nothing: none that anybody would ask about.
  std::optional<double> found_ns;
  std::optional<double> found_with_twice_ns;
  double halves_p = 1;  // of "the first half of the runs is as the second half"
};

struct PhaseNoise {
  std::string phase;
  double confidence = 0.95;
  std::size_t needed = 0;  // the fewest runs of either build that find anything, for so many measures
  std::vector<NoiseRow> rows;
  std::vector<std::string> left_out;  // "max: why": what these runs do not tell as repeats
};

// `repeats`: the phase of each run, fit, in the order of the runs. The measures are those that every run measured, and
// each is asked at a level that allows for all of them in so many phases, as `maxlat compare` does. Of the longer
// samples alone there are no quantiles, and of runs that were not watched alike no maxima. REQUIRES: two or more,
// measured alike (view/measured_alike.hpp).
PhaseNoise noise_of(const std::vector<const core::Phase*>& repeats, double confidence, std::size_t phases = 1);

std::string noise_text(const PhaseNoise& noise);
// All phases, as one document; "maxlat-plan-length/2".
std::string noise_json(const std::vector<PhaseNoise>& all);

}  // namespace maxlat::reports
