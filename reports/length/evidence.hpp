// SPDX-License-Identifier: MIT
//
// What a phase shows of the question "is a limit exceeded fewer than so often?", and how long a further run would have
// to be to show it. Screen and JSON of `maxlat plan-length` are made of this; the statistics are core's.
//
// TIME is CPU time watched, everywhere: four CPUs watch four hours in one. A return level counts it, too.
//
// WHAT IS COUNTED are the samples above the limit, as long as they are spread like samples that know nothing of one
// another. Where they come in bursts, a few of the time line's steps hold most of them. Then the steps are counted,
// since one disturbance is one event.
//
// INTERVALS OF QUANTILES hold whatever the distribution is (core/stats/quantile_interval.hpp), and are as wide as
// disturbances that last make them, where the time line tells of these (core/stats/sample_dependence.hpp). Where it
// does not, samples are taken as independent, and that is said beside it.
#pragma once

#include <cstdint>
#include <maxlat/core/result/interval.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/change_points.hpp>
#include <maxlat/core/stats/exceedance.hpp>
#include <maxlat/core/stats/quantile_interval.hpp>
#include <maxlat/core/stats/sample_dependence.hpp>
#include <maxlat/core/stats/tail_fit.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::reports {

// Fewer than `events` in `time_s`.
struct WantedRate {
  double events = 1;
  double time_s = 86'400;
  double confidence = 0.95;
  double per_s() const { return events / time_s; }
};
std::string to_string(const WantedRate& wanted);  // "fewer than 1 exceedance in 1 d"
std::string percent_of(double confidence);        // "95 %"

struct QuantileRow {
  const char* label = "";
  std::optional<double> observed_ns{};
  core::SampleDependence dependence{};  // of the samples beyond
  core::QuantileInterval interval{};
  std::uint64_t samples_needed = 0;  // for an upper end
};

struct Evidence {
  std::string phase;  // as it is shown
  std::size_t cpus = 0;
  double exposure_s = 0, duration_s = 0;
  double measuring_s = 0;  // of duration_s: without what the phase takes to begin and to end, however long it measures
  std::uint64_t samples = 0;
  double max_ns = 0, limit_ns = 0;

  std::uint64_t samples_above = 0;
  std::size_t steps = 0, steps_above = 0;  // of the time line; 0 steps: there is none
  double step_s = 0;
  bool bursts = false;       // steps are counted, else samples
  std::uint64_t events = 0;  // what is counted
  core::Interval events_interval;
  double events_below = 0;  // one-sided
  double share_below = 0;   // of samples; one-sided

  enum class Answer { shown, not_shown, ruled_out } answer = Answer::not_shown;
  // Of what is counted: as it was seen, else by the tail; absent: nothing tells, and a further run is planned as if
  // there were none, without a chance.
  std::optional<double> likely_per_s;
  std::optional<core::PlannedRun> further;  // time in seconds watched; absent: there is no such run

  std::vector<QuantileRow> quantiles;
  core::TailFit tail;
  std::optional<core::ReturnLevel> level;  // exceeded as often as the wanted rate says
  std::string no_level;                    // why there is none
  struct Change {
    double at_s = 0;                     // since the start of the time line
    double before_ns = 0, after_ns = 0;  // medians of the steps' maxima
  };
  std::vector<Change> changes;  // the surest three, in their order: conditions were not the same all the time
};

// REQUIRES: a phase that is fit (phase_view.hpp: unfit_because), with exposure. `limit_ns`: absent, the maximum.
Evidence evidence_of(const core::Phase& phase, const WantedRate& wanted, std::optional<double> limit_ns);

std::string evidence_text(const Evidence& evidence, const WantedRate& wanted);
// All phases, as one document; "maxlat-plan-length/2".
std::string evidence_json(const std::vector<Evidence>& all, const WantedRate& wanted);

// How long to watch from nothing, one row for each number of exceedances that may happen.
std::string plan_text(const WantedRate& wanted, std::uint64_t least_allowed, std::uint64_t most_allowed);
std::string plan_json(const WantedRate& wanted, std::uint64_t least_allowed, std::uint64_t most_allowed);

}  // namespace maxlat::reports
