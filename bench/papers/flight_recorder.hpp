// SPDX-License-Identifier: MIT
//
// The session that the programs of this folder trace into: flight recorders, which nobody reads.
#pragma once

#include <maxlat/trace/trace.hpp>
#include <vector>

namespace maxlat::bench::papers {

// Started, with this thread prepared. A channel has the events "papers:NAME" of its own name, and overwrites. The
// program ends when it cannot be had.
trace::Session flight_recorder(const trace::SessionOptions& options, std::vector<trace::ChannelOptions> channels);

}  // namespace maxlat::bench::papers
