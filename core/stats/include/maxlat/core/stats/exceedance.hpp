// SPDX-License-Identifier: MIT
//
// How often a limit is exceeded: what a count shows, and how long a run has to be to show what is wanted.
//
// Two counts, two intervals, both exact: they cover what they promise, for every count, also for none at all.
//   k of n samples    a share, of Clopper 1934: binomial
//   k in a time       a rate, of Garwood 1936: Poisson
// Exact means never less than promised. Counts are whole numbers, so that it is mostly somewhat more.
//
// ONE SIDE OR TWO. An interval misses on either side; a bound (events_below, share_below) on one, so it is the lower of
// the two. A bound of no event at all is 3.0 in the time watched, at 95 %: the rule of three (Hanley 1983). Nothing
// seen is no proof of nothing.
//
// DEPENDENCE. All of this takes it that one exceedance says nothing of the next. Where they come in bursts, what is to
// be counted are the bursts: seconds with an exceedance instead of samples above the limit.
//
// Counts from bins are those of an upper bound: a sample in a bin that reaches beyond the limit counts as above it.
#pragma once

#include <cstdint>
#include <maxlat/core/result/interval.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <optional>

namespace maxlat::core {

// Of the expected number of events in the time watched.
// REQUIRES: 0 < confidence < 1, as everywhere below.
Interval events_interval(std::uint64_t events, double confidence);

// One-sided: at this confidence fewer events than this are expected in the time watched. 2.996 of none, at 95 %.
double events_below(std::uint64_t events, double confidence);

// Of the share of samples that exceed. From 0 where none did, to 1 where all did.
// REQUIRES: events <= samples, samples > 0.
Interval share_interval(std::uint64_t events, std::uint64_t samples, double confidence);

// One-sided, as events_below().
double share_below(std::uint64_t events, std::uint64_t samples, double confidence);

// How long to watch to show that there are fewer than `rate` events in a unit of time, when so many are allowed to
// happen meanwhile. In this unit of time. REQUIRES: rate > 0.
double time_to_show(double rate, std::uint64_t allowed, double confidence);

// A run that is likely to show it, and is allowed what is likely to happen in it.
struct PlannedRun {
  std::uint64_t allowed = 0;  // exceedances, and it still shows that there are fewer than `rate`
  double time = 0;            // how long it has to watch
  double chance = 0;          // that it is allowed enough, when events come at the likely rate
};
// The shortest run whose chance is `least_chance` or better, when the true rate is `likely_rate`. Nothing where that is
// so close to `rate` (or above it) that more than 10 000 events would have to be waited for.
std::optional<PlannedRun> plan_run(double rate, double likely_rate, double confidence, double least_chance);

// Samples above the limit. A sample that equals it is not above.
std::uint64_t samples_above(const CpuResult& cpu, double limit_ns);

}  // namespace maxlat::core
