// SPDX-License-Identifier: MIT
//
// delay:TIME[/N]: no tracer but a tracer's cost, planted. A comparison that does not find it, or that finds it where
// none was planted, is not worth its verdict.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include "arms.hpp"

namespace maxlat::npt {
namespace {

class DelayArm : public Arm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    spec_ = surroundings.spec;
    wait_ticks_ = surroundings.clock.to_ticks(spec_.delay_ns);
    return {};
  }
  maxlat_npt_probe probe() override { return {this, boundary, loop, boundary}; }
  ArmBooks finish(const ArmRun&) override {
    ArmBooks books;
    books.verified_by = "nothing to verify: a planted delay records nothing";
    books.facts["planted_delay"] = fmt::format("{} ns in one of {} events", spec_.delay_ns, spec_.delay_every);
    return books;
  }

 private:
  static void boundary(void*) {}
  static void loop(void* state, uint64_t, uint64_t) {
    const DelayArm& self = *static_cast<DelayArm*>(state);
    static thread_local uint64_t events = 0;  // of this thread: the loop's count starts again in each of its segments
    if (++events < self.spec_.delay_every) return;
    events = 0;
    if (self.wait_ticks_ == 0) return;
    const uint64_t begin = maxlat_counter_plain();
    while (maxlat_counter_plain() - begin < self.wait_ticks_) {
    }
  }

  ArmSpec spec_;
  uint64_t wait_ticks_ = 0;
};

}  // namespace

std::unique_ptr<Arm> make_delay_arm() {
  return std::make_unique<DelayArm>();
}

}  // namespace maxlat::npt
