// SPDX-License-Identifier: MIT
//
// The highest rate of events that a tracer bears without losing one, by binary search (Beamonte 2015, section 6), where
// a trial may be unlucky: the machine stops the consumer for longer than the rings last, at a rate that is borne
// otherwise.
//
// WHAT IS SEARCHED   The highest rate at which most trials lose nothing. One trial that loses nothing says much: above
// what the consumer takes every trial loses, once it is long against the rings. One that loses something says little.
// So a single trial never makes a rate a lossy one, and no answer rests on a single one.
//
//   1. as fast as the loop goes: when that is borne and confirmed, the loop is the limit
//   2. what the trace of a lossy rate holds is what the consumer took: the first guess, a little below it
//   3. the bracket (lossless, lossy) halved, on a logarithmic scale, until it is 5 % wide. A rate is lossless, for now,
//      with the first trial that loses nothing, and lossy when kMajority lost something and none did not
//   4. the lossy end is tried again likewise: an unlucky streak far below the limit would else be the answer
//   5. the lossless end is confirmed by trials twice as long: kMajority of at most kConfirmations must lose nothing.
//      Else that rate is lossy, the guess is made anew, and the search goes on, with trials as long as these
//
// The figure is the fastest trial of the confirmation that lost nothing. Where the loop is the limit, all
// kConfirmations are run: in a virtual machine its own speed is another in each trial (seen: from 6.7 to 8.8 million
// events a second with the same tracer, within a minute), and the fastest of a few repeats better than any one of them.
//
// INVARIANTS, each with a test in maximum_rate_test.cpp: of a confirmed answer lossless_hz is a rate that was produced
// without loss in the confirmation, and at lossy_hz at least kMajority trials lost something, and not fewer than did
// not (a rate that lost nothing at first and was not confirmed may have as many of both); a tracer with a sharp limit
// is bracketed, and its limit is found within 15 % where every seventh trial is unlucky; the search ends, at the latest
// after kMostTrials, whatever the trials say; and whatever ends it, the trials there were are in the answer.
//
// A trial must be long against the buffers, which take the surplus of a while: 32 sub-buffers of 1 MiB are full after
// 35 ms at 30 million events a second, after 0.14 s at 8 million of LTTng's. One that is too short finds a higher rate
// than the tracer bears for long.
#pragma once

#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>

namespace maxlat::npt {

inline constexpr std::size_t kMostTrials = 50;
inline constexpr std::size_t kConfirmations = 5, kMajority = 3;
inline constexpr double kBracket = 1.05;
inline constexpr double kConfirmationIsLonger = 2;

// Runs one trial: at most `hz` events a second (0: no limit) for so long. Its error (an interrupt is one) ends the
// search.
using TryRate = std::function<core::Result<core::RateTrial>(double hz, double seconds)>;

struct RateSearch {
  core::MaximumRate found;  // what is known at the end, however it came: confirmed, or a bracket, or trials alone
  core::Status status;      // ok: confirmed. Else why not: a trial's error, or Exit::invalid
};

RateSearch find_maximum_rate(double trial_s, const TryRate& try_rate);

}  // namespace maxlat::npt
