// SPDX-License-Identifier: MIT
//
// delay:TIME[/N]: no tracer but a tracer's cost, planted. A comparison that does not find it, or that finds it where
// none was planted, is not worth its verdict.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <charconv>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/npt/arm_definition.hpp>

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

// "50ns", "100us/1000000"
core::Status read_delay(std::string_view text, ArmSpec& arm) {
  constexpr const char* kHint = "delay:TIME busy-waits in each event, delay:TIME/N in every N-th: delay:100us/1000000";
  const size_t slash = text.find('/');
  const auto time = core::parse_duration_ns(text.substr(0, slash), core::kUnitNeeded);
  if (!time) return core::Error{fmt::format("arm \"delay:{}\": {}", text, time.error().text), time.error().hint};
  arm.delay_ns = *time;
  arm.policy = exact_time(arm.delay_ns);
  if (slash == std::string_view::npos) return {};
  const std::string_view every = text.substr(slash + 1);
  const auto [rest, failure] = std::from_chars(every.data(), every.data() + every.size(), arm.delay_every);
  if (failure != std::errc{} || rest != every.data() + every.size() || arm.delay_every == 0)
    return core::Error{fmt::format("arm \"delay:{}\": \"{}\" is no number of events", text, every), kHint};
  if (arm.delay_every != 1) arm.policy += fmt::format("/{}", arm.delay_every);
  return {};
}

}  // namespace

extern const ArmDefinition kDelayArm{.name = "delay",
                                     .make = [] { return std::unique_ptr<Arm>(std::make_unique<DelayArm>()); },
                                     .read_policy = read_delay,
                                     .policy_is = "a time",
                                     .policy_hint = "delay:50ns, or delay:100us/1000000 for one event in a million"};

}  // namespace maxlat::npt
