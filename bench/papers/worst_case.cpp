// SPDX-License-Identifier: MIT
//
// paper_worst_case [ROUNDS]: an event that finds nothing in the caches and has to switch to the next sub-buffer
// (Desnoyers 2009, section 8.5: 6349 ns, 20 times the mean; a switch in warm caches adds 238 ns).
//
// An event of ten numbers, 88 bytes, into flight recorders: one of 4 x 64 KiB, and one of 4 x 256 bytes, whose
// sub-buffers have room for a single such event, so that each switches. Warm: loops of 20 000, as everywhere in this
// folder. Cold: cold.hpp.
#include <fmt/format.h>

#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/trace/trace.hpp>
#include <vector>

#include "cold.hpp"
#include "flight_recorder.hpp"
#include "rounds.hpp"

#define TEN_NUMBERS                                                                                   \
  (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c), (std::uint64_t, d), (std::uint64_t, e), \
      (std::uint64_t, f), (std::uint64_t, g), (std::uint64_t, h), (std::uint64_t, i), (std::uint64_t, j)
MAXLAT_TRACE_EVENT(papers, stays, TEN_NUMBERS)
MAXLAT_TRACE_EVENT(papers, switches, TEN_NUMBERS)

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

constexpr unsigned kColdOfARound = 5;

[[gnu::noinline]] void stays(uint64_t turns) {
  for (uint64_t n = 0; n < turns; ++n) MAXLAT_TRACE(papers, stays, n, n, n, n, n, n, n, n, n, n);
}
[[gnu::noinline]] void switches(uint64_t turns) {
  for (uint64_t n = 0; n < turns; ++n) MAXLAT_TRACE(papers, switches, n, n, n, n, n, n, n, n, n, n);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 101);
  if (rounds == 0) return 1;
  const base::CounterClock clock = base::calibrate();
  fmt::print("## The worst case of an event (Desnoyers 2009, section 8.5)\n\n");
  begin_on_one_cpu(clock);
  const trace::Session session = flight_recorder(
      clock, {{.name = "stays", .sub_buffer_size = 64 << 10}, {.name = "switches", .sub_buffer_size = 256}});
  const Outcome warm =
      run_rounds({{"nothing", empty_loop}, {"counter read", counter_reads}, {"stays", stays}, {"switches", switches}},
                 rounds, clock);
  const unsigned samples = kColdOfARound * rounds;
  const double harness_ns = cold_harness_ns(samples, clock);
  const std::vector<double> cold_stays = cold(stays, samples, clock), cold_switches = cold(switches, samples, clock);
  fmt::print("{} Cold: {} events of each kind; the harness takes {:.0f} ns of each, which are taken off.\n\n",
             about_rounds(warm), samples, harness_ns);
  fmt::print("| event | p50, ns | to the warm event | p90, ns |\n|---|--:|--:|--:|\n");
  const double hot_ns = warm.costs[2].ns;
  const auto warm_row = [&](const char* name, double ns) {
    fmt::print("| {} | {:.1f} | {:.1f} | – |\n", name, ns, ns / hot_ns);
  };
  const auto cold_row = [&](const char* name, const std::vector<double>& ns) {
    const double median = core::median(ns) - harness_ns;
    fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} |\n", name, median, median / hot_ns,
               ns[ns.size() * 9 / 10] - harness_ns);
  };
  warm_row("warm", hot_ns);
  warm_row("warm, with a switch of sub-buffers", warm.costs[3].ns);
  cold_row("cold", cold_stays);
  cold_row("cold, with a switch of sub-buffers", cold_switches);
  return 0;
}
