// SPDX-License-Identifier: MIT
//
// The arms of one comparison as a reader asks about them: which have figures, which two belong on one plot, and what
// was found. Everything that page and terminal say of a comparison is taken from here.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::reports {

struct ArmsView {
  std::string name;                                  // of the comparison
  std::string gaps;                                  // core::Phase::gaps, of every arm here
  std::vector<const core::Phase*> arms;              // all of these phases, in their order; the first is the base
  std::vector<const core::Comparison*> comparisons;  // in the order of the arms
  std::vector<const core::Phase*> measured() const;  // with samples
  std::string title() const;                         // "tracers", "tracers (waiting windows)"
  // Base against each arm, then each tracer's two ways of delivery against each other (writer and timer of Beamonte
  // 2015). The base's second run is in none: it is for the noise floor.
  std::vector<std::pair<const core::Phase*, const core::Phase*>> pairs() const;
};

// One for each comparison of the run and each kind of gaps in it, in the order of the phases. They point into `run`.
std::vector<ArmsView> arms_of(const core::RunResult& run);

// Phases with a maximum rate.
std::vector<const core::Phase*> rates_of(const core::RunResult& run);

// "3 of 4" trials lost nothing at the lossless rate, and something at the lossy one; "-" where that is not told.
std::string lossless_trials(const core::MaximumRate& rate);
std::string lossy_trials(const core::MaximumRate& rate);

// Whether the phase is the base's second run in each round.
bool is_base_again(const core::Phase& phase);

}  // namespace maxlat::reports
