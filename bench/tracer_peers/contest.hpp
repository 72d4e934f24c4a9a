// SPDX-License-Identifier: MIT
//
// The arms side by side: all of them in every round, in an order drawn anew, so that what the machine does meanwhile
// hits them alike. Each section prints its table in Markdown and leaves the figures with the arms, for the goals.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "second_process.hpp"
#include "work.hpp"

namespace maxlat::bench {

struct Quantiles {
  std::size_t samples = 0;
  double p50_ns = 0, p99_ns = 0, p999_ns = 0, p9999_ns = 0, max_ns = 0;
};

// kBatch events, and what stood beside them.
//
// ALONE. An event's instructions hide behind its counter read, as long as the core has nobody else's to execute: a
// hyperthread of a neighbour (another virtual machine, another CPU of this one) takes half of the issue slots, but
// leaves the counter read as slow as it was. What is hidden then shows: 1.0 of a bare read becomes 1.4, for a
// millisecond or for an hour. An empty loop has nothing to hide behind and is 1.6 times slower; so it tells, without a
// look at what is measured, which batches had the core for themselves.
struct Batch {
  double reads_ns = 0, events_ns = 0, loop_ns = 0;  // each of one: read, event, turn of the empty loop
  double to_bare_read() const { return events_ns / reads_ns; }
};

struct Contestant {
  std::string name;
  bool lttng = false;
  std::function<Ticks(std::uint32_t fields, Work, std::uint32_t samples)> perform;
  Arm::Run with_three_fields = nullptr;  // null: it is in the second process

  // What was measured. Of the batches each round, so that two arms can be compared within rounds.
  std::array<std::vector<Batch>, kFieldCounts.size()> batches;
  std::optional<Quantiles> single, cold, first;
  double one_thread_us = std::numeric_limits<double>::quiet_NaN(), all_threads_us = one_thread_us;  // events a us
};

struct Contest {
  std::vector<Contestant> arms;
  std::function<void()> drain;  // takes what our rings hold
  std::function<void()> renew;  // puts our rings elsewhere in memory
  std::vector<int> cpus;        // ours is the first, and everything is pinned to it but threads()
  double ticks_per_ns = 0;
  std::array<Quantiles, 2> later{};  // per thread, per CPU: later_sessions(), cold, the slowest
  double empty_loop_ns = 0;  // each turn of it, on a core that nobody shares: the fastest there was; from batches()
  bool alone(const Batch& batch) const { return batch.loop_ns <= 1.2 * empty_loop_ns; }
};

// The harness alone, all our arms, LTTng's, and with `second` LTTng's with the other clock.
std::vector<Contestant> contestants(const std::function<void()>& drain, SecondProcess* second);
// Null where it does not take part.
const Contestant* find(const Contest& contest, const std::string& name);

// Those of them that had the core for themselves.
std::vector<Batch> alone_of(const Contest& contest, std::vector<Batch> batches);
// REQUIRES: there is a sample.
Quantiles quantiles_of(Ticks ticks, double ticks_per_ns);
// Not a number without a batch.
double median_ns(const std::vector<Batch>& batches);
double median_to_bare_read(const std::vector<Batch>& batches);

// PLACES. Which physical pages a ring has is luck that lasts as long as the ring: with unlucky ones a ring per thread
// had 1.22 of a bare read for a whole run, and a ring per CPU 1.28, that have 1.04 and 1.12 otherwise. So our rings
// move every kRoundsAPlace rounds, and the median is over places, too. (LTTng's stay: eight times the cost hides such
// luck.)
inline constexpr unsigned kRoundsAPlace = 4;
void batches(Contest& contest, unsigned rounds);
void singles(Contest& contest, unsigned samples);
// Only of the arms that a goal is about, in turns, with a thread on the last CPU that floods the cache all have in
// common.
void cold(Contest& contest, unsigned samples);
void first_events(Contest& contest, unsigned threads);
// That of a thread which was prepared before a session was made and started, ours alone. `scheduling`: what the table
// says of the policy that this thread has, and by that the new ones.
void later_sessions(Contest& contest, unsigned sessions, const char* scheduling);
void threads(Contest& contest, unsigned rounds);

inline constexpr const char* kHarness = "harness alone";
inline constexpr const char* kDisabled = "maxlat, disabled";
inline constexpr const char* kThread = "maxlat, thread, discard";
inline constexpr const char* kThreadWithCpu = "maxlat, thread, with the CPU";
inline constexpr const char* kCpu = "maxlat, CPU, discard";
inline constexpr const char* kFull = "maxlat, thread, ring full";
inline constexpr const char* kUstWriter = "LTTng-UST, writer wakes";
inline constexpr const char* kUstTimer = "LTTng-UST, --read-timer";
inline constexpr const char* kWithTsc = ", TSC clock";

}  // namespace maxlat::bench
