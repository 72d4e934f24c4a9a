// SPDX-License-Identifier: MIT
//
// Whether something comes again and again after the same time: a cron job, a timer, a watchdog, a log that rotates.
//
// Schuster 1898: each event is a step of length one in the direction of its phase within the period that is tried.
// Events that have nothing to do with the period walk at random, and the chance of a walk of n steps that ends at a
// distance R from its start is exp(-R^2 / n). As many periods are tried as can be told apart, so the chance is
// corrected for all.
#pragma once

#include <optional>
#include <span>

namespace maxlat::core {

struct Period {
  double length = 0;  // in the unit of the times
  double p = 1;       // of events without any period, corrected for all periods tried
};

// Events closer than half of `shortest` are one: those of a burst depend on one another.
//
// The period that fits best, if one does at this level; of a period and its parts the longest. Tried are periods from
// `shortest` to a third of the span: a period has to be seen three times. REQUIRES: 0 < shortest; 0 < alpha < 1.
// COST: events x frequencies, of which there are eight times span / shortest.
std::optional<Period> period_of(std::span<const double> times, double shortest, double alpha);

// Whether `moment` is one beat of a pulse of this rate: of the other events more than chance allows (at this level) are
// a whole number of beats away from it, to a twentieth of one. The times' clock may be off the pulse's by 100 ppm.
// Events closer than half a beat are one. For time's sake the nearest 1000 count, and none beyond 2.5e8 beats.
// REQUIRES: 0 < rate; 0 < alpha < 1. COST: counted events x (1 + beats / 5000); in memory a word for 250 beats.
bool beats_with(std::span<const double> times, double moment, double rate, double alpha);

}  // namespace maxlat::core
