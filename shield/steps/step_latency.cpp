// SPDX-License-Identifier: MIT
//
// No idle state that is slow to leave, on any CPU, for as long as the shield is on.
#include "change/keeper.hpp"
#include "step.hpp"

namespace maxlat::shield {
namespace {

constexpr const char* kName = "idle latency";
constexpr const char* kFile = "/dev/cpu_dma_latency";

core::Status make_idle_latency(Workshop& workshop) {
  using Outcome = StepReport::Outcome;
  Surface& surface = workshop.surface();
  if (!surface.view().read_bytes(kFile)) {
    workshop.report({Outcome::not_possible, kName, std::string(kFile) + " is not there, or not for us"});
    return {};
  }
  core::Result<Keeper> keeper = Keeper::start(surface.path_of(kFile), workshop.plan().housekeeping);
  if (!keeper) {
    workshop.report({Outcome::not_possible, kName, keeper.error().text});
    return {};
  }
  const auto task = core::task_of({}, static_cast<unsigned>(keeper->pid()));  // a real process, whatever the root
  const Change change{.kind = Change::Kind::keeper,
                      .task = keeper->pid(),
                      .started = task ? task->started : 0,
                      .name = "maxlat-keeper"};
  if (const core::Status recorded = workshop.record({&change, 1}); !recorded) return recorded;
  if (const core::Status held = keeper->hold(); !held) {
    workshop.note_refused({change});
    workshop.report({Outcome::not_possible, kName, held.error().text});
  } else {
    workshop.report({Outcome::done, kName, std::string(kFile) + " is held at 0"});
  }
  return {};
}

std::string would_hold_it(const ShieldPlan&, const Surface& surface) {
  return surface.view().read_bytes(kFile) ? std::string("hold ") + kFile + " at 0" : "";
}

}  // namespace

extern const Step kIdleLatencyStep{kName, make_idle_latency, would_hold_it};

}  // namespace maxlat::shield
