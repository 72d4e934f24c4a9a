// SPDX-License-Identifier: MIT
//
// Where an arm's tail comes from, in words: screen, page and terminal say it alike. Of what the result holds, whatever
// tool or tracer it is of.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::core {

// "the worst gap of maxlat:timer, 12.3 us, was a sub-buffer switch (640 of them, median 471 ns)"; or that it was none
// of the tracer's rare paths, and what the worst of those was. Empty where the arm does not tell its paths.
//
// A rare path's gaps are few and short, so that hardly ever something else falls into one: its maximum is mostly its
// own. What an ordinary event's gap holds beyond the ordinary is mostly the machine's.
std::string worst_in_words(const Phase& arm);

// What is known of an outlier: its path, or its cause, or both; empty when nothing is.
std::string story_of(const Outlier& outlier);

// An event near it: "        -500 ns  npt:loop  count 41, ticks 52  sub-buffer switch", the time from the gap's end.
std::string line_of(const NearbyEvent& event, const Outlier& outlier);

}  // namespace maxlat::core
