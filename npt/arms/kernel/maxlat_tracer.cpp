// SPDX-License-Identifier: MIT
//
// kernel:maxlat: a session of our module maxlat_trace. Its rings drop what finds no room.
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <optional>

#include "kernel_tracer.hpp"

namespace maxlat::npt {
namespace {

using trace::KernelRecord;
using trace::KernelSession;

void take(const KernelRecord& record, CallCount& calls) {
  if (record.type->id == MAXLAT_KERNEL_sys_enter) {
    const auto enter = record.as<maxlat_kernel_sys_enter>();
    calls.enter(record.cpu, enter.id, enter.arg0, enter.arg1);
  } else if (record.type->id == MAXLAT_KERNEL_sys_exit) {
    calls.exit(record.cpu, record.as<maxlat_kernel_sys_exit>().id);
  } else {
    calls.other_event();
  }
}

class MaxlatTracer : public KernelTracer {
 public:
  core::Status start(const KernelTracerPlan& plan) override {
    auto session = KernelSession::open();
    if (!session) return session.error();
    uint64_t events = 0;
    for (const std::string& pattern : plan.patterns) {
      const uint64_t matching = trace::kernel_events_matching(pattern) & session->capabilities().events;
      if (matching == 0)
        return core::cannot_run(fmt::format("the kernel tracer's module has no event \"{}\"", pattern));
      events |= matching;
    }
    session_.emplace(*std::move(session));
    return session_->start({.events = events,
                            .cpus = {plan.cpus.begin(), plan.cpus.end()},
                            .sub_buffer_bits = static_cast<uint32_t>(std::countr_zero(plan.sub_buffer_bytes)),
                            .ring_bits = static_cast<uint32_t>(std::countr_zero(plan.sub_buffers)),
                            .period = std::chrono::milliseconds(0),
                            .trust_counter = true});  // nobody here reads its times
  }

  core::Status read(CallCount& calls) override {
    return session_->read([&](const KernelRecord& record) { take(record, calls); });
  }
  core::Status stop() override { return session_->stop(); }
  uint64_t lost() const override {
    const trace::KernelBooks books = session_->books();
    return books.lost_full + books.lost_wrap + books.lost_big;
  }

 private:
  std::optional<KernelSession> session_;
};

}  // namespace

std::unique_ptr<KernelTracer> make_maxlat_tracer() {
  return std::make_unique<MaxlatTracer>();
}

}  // namespace maxlat::npt
