// SPDX-License-Identifier: MIT
//
// The session that the programs of this folder trace into: flight recorders, which nobody reads.
#pragma once

#include <maxlat/base/clock.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/trace.hpp>
#include <vector>

namespace maxlat::bench::papers {

// Started, with this thread prepared. A channel has the events "papers:NAME" of its own name, and overwrites. The
// clock's rate is given: nobody reads the records' times, so a counter that the kernel does not trust is good enough.
// The program ends when the session cannot be had, with the reason (Exit::cannot_run).
trace::Session flight_recorder(const base::CounterClock& clock, std::vector<trace::ChannelOptions> channels);

}  // namespace maxlat::bench::papers
