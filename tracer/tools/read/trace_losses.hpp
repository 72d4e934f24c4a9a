// SPDX-License-Identifier: MIT
//
// Events that were recorded nowhere, as lines among the events of `maxlat trace print`:
//
//   --- 7 events lost (buffer full 7): app 17/18 channel0, between [12:53:05.100000000] and [12:53:05.200000000]
//   {"lost":7,"lost_full":7,...,"missing_packets":0,"process":"app","pid":17,"tid":18,"channel":"channel0",
//    "after_ns":1700000000100000000,"before_ns":1700000000200000000}
//
// What was lost before the first packet of a channel, after its last one, or by threads that got no ring, only the
// recorder's books know.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/reader.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

// How many events went where, by the books' names of it (recording_books.hpp).
using LossCounts = std::map<std::string, std::uint64_t>;

LossCounts counts_of(const trace::StreamLoss& loss);
// "7 events lost (buffer full 5, larger than a sub-buffer 2)"
std::string loss_text(const LossCounts& lost, std::uint64_t missing_packets);

// What the books of a channel say was lost and no packet of it tells.
struct UntoldLoss {
  const trace::TraceProcess* process = nullptr;
  std::string channel;
  LossCounts lost;
  bool is_first = false;  // before the channel's first event
};

// Those before the first events. Of books that cannot be read none: untold_losses() tells it.
std::vector<UntoldLoss> first_losses(const trace::TraceReader& reader);

// All others. REQUIRES: the reader has read everything. ERRORS of books: told to `breaks`.
std::vector<UntoldLoss> untold_losses(const trace::TraceReader& reader, std::vector<trace::TraceBreak>& breaks);

// What the books say was recorded and is in no file any more: one that was cut between two packets, emptied or removed
// looks whole. Of processes that `reader` has found no break in. REQUIRES: the reader has read everything.
std::vector<trace::TraceBreak> missing_by_books(const trace::TraceReader& reader);

// Packets are missing where newer ones replaced them, which the books say and which is no loss.
bool overwritten(const trace::TraceProcess& process);

}  // namespace maxlat::trace_tools
