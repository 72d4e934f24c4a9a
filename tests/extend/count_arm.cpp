// SPDX-License-Identifier: MIT
//
// count: adds one for each event and keeps nothing else, the least that a tracer could do.
#include <atomic>
#include <maxlat/npt/arm_definition.hpp>

namespace maxlat::npt {
namespace {

class CountArm : public Arm {
 public:
  core::Status set_up(const ArmSurroundings&) override { return {}; }
  maxlat_npt_probe probe() override { return {this, boundary, loop, boundary}; }
  ArmBooks finish(const ArmRun&) override {
    ArmBooks books;
    books.events = core::EventCounts{.recorded = count_.load()};
    books.verified_by = "its own count";
    return books;
  }

 private:
  static void boundary(void* state) {  // npt:start and npt:stop are events, too
    static_cast<CountArm*>(state)->count_.fetch_add(1, std::memory_order_relaxed);  // relaxed: it orders nothing
  }
  static void loop(void* state, uint64_t, uint64_t) { boundary(state); }

  std::atomic<uint64_t> count_ = 0;
};

}  // namespace

extern const ArmDefinition kCountArm{.name = "count",
                                     .make = [] { return std::unique_ptr<Arm>(std::make_unique<CountArm>()); }};

}  // namespace maxlat::npt
