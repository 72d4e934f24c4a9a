// SPDX-License-Identifier: MIT
//
// Of a phase's largest sample: who had most of its time, in words for one line. Terminal, progress and report say it in
// the same.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::core {

// "task kworker/1:2 (tid 77, nice 0) 2.90 ms", "nobody had most of it". Of another program's wake-ups with their length
// by the kernel's events, "task hog (tid 9, nice 0) 2.90 ms of 3.11 ms by the kernel's events", where the latest of
// them can be the program's largest sample. "": it is not known.
std::string culprit_words(const Phase& phase);

// Why nobody looked who it was; "": somebody did, or the phase is of a kind that nobody can watch.
std::string not_watched_because(const Phase& phase);

}  // namespace maxlat::core
