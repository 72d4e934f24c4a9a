// SPDX-License-Identifier: MIT
//
// What the programs of this folder have in common: short loops on one CPU, all of them in every round, in an order
// drawn anew, so that what the machine does meanwhile hits them alike.
//
// The method is that of Desnoyers 2009, section 4.7: a loop of 20 000 turns, the counter before and after, the mean of
// a turn. His machine did nothing else. Here a round counts only if its empty loop was within a fifth of the fastest,
// for a neighbour of a virtual machine may have the other half of the core (docs/tracer-peers.md, "Shared"). So there
// are rounds until as many count as were asked for, or until ten times as many are over; printed is the median over
// those that count, and how many these are.
#pragma once

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::bench::papers {

struct Arm {
  std::string_view name;
  void (*run)(uint64_t turns);
  uint64_t turns = 20'000;  // fewer where one takes microseconds
};

// Medians over the rounds that count.
struct Cost {
  double ns = 0;       // of a turn, with the loop around it
  double to_read = 0;  // to the bare counter read of the same round
};

struct Outcome {
  std::vector<Cost> costs;         // one for each arm
  unsigned rounds = 0, alone = 0;  // made, and counted
};

// REQUIRES: arms[0] is the empty loop, arms[1] the bare counter read; wanted > 0. Each arm runs once before the rounds.
Outcome run_rounds(const std::vector<Arm>& arms, unsigned wanted, const base::CounterClock& clock);

// A sentence for the reader: how many rounds there were, and that they were too few, if so.
std::string about_rounds(const Outcome& outcome);

// The one argument that these programs take. RETURNS: 0 when it is no number above 0; how to call it is printed then.
unsigned rounds_of(int argc, char** argv, unsigned unless_told);

void empty_loop(uint64_t turns);
void counter_reads(uint64_t turns);

// Goes to the last CPU that the thread may have, and prints that, its policy and the counter's rate as a line of
// Markdown.
// RETURNS: the CPU.
unsigned begin_on_one_cpu(const base::CounterClock& clock);

// What the compiler must believe to be used.
inline void keep(uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

}  // namespace maxlat::bench::papers
