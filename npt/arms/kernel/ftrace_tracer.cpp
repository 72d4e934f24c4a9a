// SPDX-License-Identifier: MIT
//
// kernel:ftrace: an instance of our own in tracefs, with the time-stamp counter as its clock, which costs less than its
// default. Its buffers keep the newest events.
#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/attribution/kernel_buffers.hpp>
#include <optional>

#include "kernel_tracer.hpp"
#include "raw_system_calls.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kBytesOfAPage = 4096 - 16;           // the smallest, without its head
constexpr uint64_t kMorePages = 2;                      // the kernel rounds up, and the reader has one of its own
constexpr const char* kInstancePrefix = "maxlat-arm-";  // --kernel-events may have another of this process

// In tracefs as others see it. One that was mounted for a killed npt alone is nowhere now; its instance goes with the
// next one's start (KernelBuffers).
core::Status note_instance(const ArmFolder& folder) {
  const std::string tracefs = core::find_tracefs("/");
  if (tracefs.empty()) return {};
  return folder.note(fmt::format("rmdir {}/instances/{}{}", tracefs, kInstancePrefix, ::getpid()));
}

class FtraceTracer : public KernelTracer {
 public:
  core::Status start(const KernelTracerPlan& plan) override {
    if (core::Status noted = note_instance(*plan.folder); !noted) return noted;
    auto buffers = attribution::KernelBuffers::open("/", kInstancePrefix);
    if (!buffers) return buffers.error();
    auto events = events_of_tracefs(buffers->events(), plan.patterns);
    if (!events) return events.error();
    auto system_calls = RawSystemCalls::of(buffers->events());
    if (!system_calls) return system_calls.error();
    system_calls_ = *std::move(system_calls);
    buffers_.emplace(*std::move(buffers));
    cpus_ = plan.cpus;
    pages_of_a_cpu_ = plan.bytes_of_a_cpu() / kBytesOfAPage + kMorePages;
    return buffers_->record(cpus_, *events, plan.bytes_of_a_cpu() / 1024);
  }

  // Where every CPU is measured, this thread's own reads are events, and would keep it at its work for ever.
  core::Status read(CallCount& calls) override {
    for (size_t place = 0; place < cpus_.size(); ++place) {
      for (uint64_t pages = 0; pages < pages_of_a_cpu_; ++pages) {
        const core::Result<bool> any = buffers_->read(place, page_);
        if (!any) return any.error();
        if (!*any) break;
        for (const attribution::RingRecord& record : page_.records)
          system_calls_.take(cpus_[place], record.bytes, calls);
      }
    }
    return {};
  }

  core::Status stop() override {
    buffers_->stop();
    return {};
  }
  uint64_t lost() const override { return buffers_->instance().counts().lost(); }

 private:
  core::CpuList cpus_;
  uint64_t pages_of_a_cpu_ = 0;
  RawSystemCalls system_calls_;
  std::optional<attribution::KernelBuffers> buffers_;
  attribution::RingPage page_;
};

}  // namespace

std::unique_ptr<KernelTracer> make_ftrace_tracer() {
  return std::make_unique<FtraceTracer>();
}

}  // namespace maxlat::npt
