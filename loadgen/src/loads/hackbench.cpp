// SPDX-License-Identifier: MIT
//
// hackbench: groups of 20 senders and 20 receivers that wake each other through sockets. One group per CPU keeps every
// run queue about forty deep; 10000 messages make a round of some ten seconds, so that starting is a small part of it.
#include <fmt/format.h>

#include "keeper.hpp"

namespace maxlat::loadgen {
namespace {

core::Result<LoadPlan> plan_of_hackbench(std::string_view argument, const core::CpuList& cpus) {
  const std::string scaled = fmt::format("-g {} -l 10000", cpus.size());
  return plan_of_command({"hackbench", "hackbench", "rt-tests", ""}, argument.empty() ? scaled : argument, cpus);
}

}  // namespace

extern const LoadDefinition kHackbenchLoad = {
    .kind = {"hackbench", "[:ARGS]", "senders and receivers that wake each other (rt-tests)", false},
    .unit = kCpuTimeUnit,
    .scale = kCpuTimeScale,
    .plan = plan_of_hackbench,
};

}  // namespace maxlat::loadgen
