// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/smi_windows.hpp>

#include "test_accounting.hpp"
#include "test_events.hpp"

namespace maxlat::attribution {
namespace {

using namespace test;
using core::Certainty;
using testing::ElementsAre;

KernelEvent look(uint64_t tick, uint64_t smis) {
  return {.tick = tick, .value = smis, .kind = EventKind::machine_counts};
}
void tick_at(uint64_t tick, std::vector<KernelEvent>& events) {
  events.push_back(of_vector(tick, EventKind::vector_entry, VectorUse::local_timer));
  events.push_back(of_vector(tick + 10, EventKind::vector_exit, VectorUse::local_timer));
}

// A look that finds no more is not recorded: its tick is.
TEST(SmiWindows, AreBetweenALookAndTheOneThatFoundMore) {
  std::vector<KernelEvent> events{look(50, 7)};  // the first one: from here on is counted
  tick_at(1000, events);
  tick_at(2000, events);
  events.insert(events.end() - 1, look(2001, 9));
  events.push_back(event(3000, EventKind::hole));
  events.push_back(look(4000, 20));  // and how many of them came since the last look, nobody knows
  tick_at(5000, events);
  events.insert(events.end() - 2, look(4999, 21));  // another order of the two probes
  SmiWindows smis;
  for (const KernelEvent& one : events) smis.see(one);
  std::vector<std::string> windows;
  for (const SmiWindow& one : smis.windows()) windows.push_back(fmt::format("{}-{}: {}", one.from, one.to, one.count));
  EXPECT_THAT(windows, ElementsAre("1000-2001: 2", "4000-4999: 1"));
}

TEST(SmiWindows, TheLongestStretchesOfNothingAreTheirs) {
  const std::vector<KernelEvent> events = {event(3000, EventKind::irq_entry, 24, "eth0"),
                                           event(3010, EventKind::irq_exit, 24)};
  Accounting first = account(events, interval(1100, 1300));   // 200 of nothing
  Accounting second = account(events, interval(2000, 4000));  // 1000, an interrupt, 990
  Accounting behind = account(events, interval(5000, 5500));
  Accounting* const all[] = {&first, &second, &behind};
  const SmiWindow windows[] = {{.from = 1000, .to = 4900, .count = 2}, {.from = 4950, .to = 5400, .count = 1}};
  name_smis(windows, all);
  EXPECT_THAT(told(first), ElementsAre("nothing seen: hardware or hypervisor: 200"));
  EXPECT_THAT(told(second), ElementsAre("smi: 1990 in 2", "irq 24 eth0: 10"));
  EXPECT_EQ(second.parts[0].certainty, Certainty::next_to);
  EXPECT_THAT(told(behind), ElementsAre("nothing seen: hardware or hypervisor: 500")) << "it is not in the window";
  Accounting some = account(events, interval(2000, 4000));
  Accounting* const only[] = {&some};
  const SmiWindow one[] = {{.from = 0, .to = 9000, .count = 1}};
  name_smis(one, only);
  EXPECT_THAT(told(some), ElementsAre("smi: 1000", "nothing seen: hardware or hypervisor: 990", "irq 24 eth0: 10"));
}

}  // namespace
}  // namespace maxlat::attribution
