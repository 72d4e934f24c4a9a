// SPDX-License-Identifier: MIT
//
// The highest rate of events that a tracer bears without losing one, by binary search (seed 004, section 6).
//
//   1. as fast as the loop goes: when nothing is lost there, that is the answer, and the loop is the limit
//   2. halved until a trial loses nothing
//   3. the bracket (lossless, lossy) halved, on a logarithmic scale, until it is 5 % wide
//   4. a confirmation, twice as long, at the lossless end: a trial may be lucky. When it loses something, that rate is
//      lossy, and the search goes on below it
//
// INVARIANTS, each with a test in maximum_rate_test.cpp: lossless_hz is the rate of a trial that lost nothing, as it was
// produced in the confirmation, and lossy_hz that asked of one that lost something; a tracer with a sharp limit is
// bracketed; the search ends, at the latest after kMostTrials, whatever the trials say.
//
// A trial must be long against the buffers: 32 sub-buffers of 1 MiB take the surplus of some seconds. A trial that is
// too short finds a higher rate than the tracer bears for long.
#pragma once

#include <functional>
#include <maxlat/core/result.hpp>
#include <maxlat/core/run_result.hpp>

namespace maxlat::npt {

inline constexpr std::size_t kMostTrials = 40;
inline constexpr double kBracket = 1.05;
inline constexpr double kConfirmationIsLonger = 2;

// Runs one trial: at most `hz` events a second (0: no limit) for so long. Its error ends the search.
using TryRate = std::function<core::Result<core::RateTrial>(double hz, double seconds)>;

core::Result<core::MaximumRate> find_maximum_rate(double trial_s, const TryRate& try_rate);

}  // namespace maxlat::npt
