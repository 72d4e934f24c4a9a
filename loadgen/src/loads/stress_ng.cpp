// SPDX-License-Identifier: MIT
//
// stress-ng with the user's arguments. Without a --timeout it runs for a day and is one round; with one, rounds follow
// each other.
#include "keeper.hpp"

namespace maxlat::loadgen {
namespace {

core::Result<LoadPlan> plan_of_stress_ng(std::string_view argument, const core::CpuList& cpus) {
  if (argument.empty())
    return core::Error{"load stress-ng needs arguments", "for example: 'stress-ng:--vm 2 --vm-bytes 1G'"};
  return plan_of_command({"stress-ng", "stress-ng", "stress-ng", ""}, argument, cpus);
}

}  // namespace

extern const LoadDefinition kStressNgLoad = {
    .kind = {"stress-ng", ":ARGS", "stress-ng with these arguments", false},
    .unit = kCpuTimeUnit,
    .scale = kCpuTimeScale,
    .plan = plan_of_stress_ng,
};

}  // namespace maxlat::loadgen
