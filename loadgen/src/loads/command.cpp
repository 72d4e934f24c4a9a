// SPDX-License-Identifier: MIT
//
// Any command of the user's, started again when it ends with status 0.
#include "keeper.hpp"

namespace maxlat::loadgen {
namespace {

core::Result<LoadPlan> plan_of_words(std::string_view argument, const core::CpuList& cpus) {
  return plan_of_command({"command", "", "", "for example: 'command:dd if=/dev/sda of=/dev/null'"}, argument, cpus);
}

}  // namespace

extern const LoadDefinition kCommandLoad = {
    .kind = {"command", ":WORDS", "any command, again and again", false},
    .unit = kCpuTimeUnit,
    .scale = kCpuTimeScale,
    .plan = plan_of_words,
};

}  // namespace maxlat::loadgen
