// SPDX-License-Identifier: MIT
//
// kernel:none, kernel:ftrace, kernel:maxlat, kernel:perf: the loop's tracepoint is a system call, getppid(), and what
// is measured is a tracer of the kernel: each call is two of its events, sys_enter and sys_exit. kernel:none makes the
// call and nobody traces it, so it is the base of the others.
//
// A thread of ours, on a CPU that is not measured, reads the events away a hundred times a second and counts the calls
// among them (kernel/call_count.hpp). It writes nothing to a disk.
//
// BOOKS   A call is recorded when both its events were read. One that lacks an event is lost, but no more of them than
//         the tracer says that it lost events: the rest makes the run invalid. Where events= leaves system calls out,
//         nothing is verified.
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <maxlat/attribution/reader_thread.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <string>

#include "kernel/kernel_tracer.hpp"

namespace maxlat::npt {
namespace {

constexpr std::chrono::milliseconds kReadEvery(10);
constexpr const char* kSystemCalls = "raw_syscalls:*";
constexpr std::string_view kNobody = "none";

struct KernelTracerOfAPolicy {
  std::string_view policy;
  std::unique_ptr<KernelTracer> (*make)();
};
constexpr KernelTracerOfAPolicy kKernelTracers[] = {
    {"ftrace", make_ftrace_tracer}, {"maxlat", make_maxlat_tracer}, {"perf", make_perf_tracer}};

class KernelArm : public Arm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    const ArmSpec& spec = surroundings.spec;
    const auto* const traced_by =
        std::find_if(std::begin(kKernelTracers), std::end(kKernelTracers),
                     [&](const KernelTracerOfAPolicy& one) { return one.policy == spec.policy; });
    if (traced_by == std::end(kKernelTracers)) return {};
    tracer_ = traced_by->make();
    const std::vector<std::string> patterns =
        spec.events.empty() ? std::vector<std::string>{kSystemCalls} : spec.events;
    counts_calls_ = std::find(patterns.begin(), patterns.end(), kSystemCalls) != patterns.end();
    core::Status started = tracer_->start({.cpus = surroundings.measured_cpus,
                                           .patterns = patterns,
                                           .sub_buffer_bytes = spec.sub_buffer_bytes,
                                           .sub_buffers = spec.sub_buffers,
                                           .folder = surroundings.folder});
    const auto read_away = [this] {
      read();
      return false;
    };
    if (started) reader_.start(read_away, kReadEvery);
    return started;
  }
  maxlat_npt_probe probe() override { return {this, call, loop, call}; }

  ArmBooks finish(const ArmRun& run) override {
    ArmBooks books;
    if (tracer_ == nullptr) {
      books.verified_by = "nothing to verify: nobody traces the system call";
      return books;
    }
    reader_.end();
    if (const core::Status stopped = tracer_->stop(); !stopped) books.invalid = stopped.error().text;
    read();
    const uint64_t lost = tracer_->lost();
    books.facts["kernel_events_recorded"] = fmt::format("{}", calls_.events());
    books.facts["kernel_events_lost"] = fmt::format("{}", lost);
    books.facts["consumer"] = "a thread that reads the events and counts them; they are not kept";
    if (!unreadable_.empty()) books.invalid = unreadable_;
    if (!calls_.in_order()) books.invalid = "the tracer has a call twice, or calls in another order";
    if (counts_calls_) {
      const uint64_t missing = run.produced - std::min(run.produced, calls_.calls());
      books.events = core::EventCounts{.recorded = calls_.calls(), .lost_full = std::min(missing, lost)};
      books.verified_by = "both events of each call, read back by the call's number";
    } else {
      books.verified_by = fmt::format("not verified: events= is without {}", kSystemCalls);
    }
    return books;
  }

 private:
  void read() {
    if (!unreadable_.empty()) return;
    if (const core::Status read = tracer_->read(calls_); !read) unreadable_ = read.error().text;
  }

  static void call(void*) {
    static thread_local uint64_t number = 0;
    ::syscall(SYS_getppid, kMarkOfACall, ++number);
  }
  static void loop(void* state, uint64_t, uint64_t) { call(state); }

  bool counts_calls_ = true;
  std::unique_ptr<KernelTracer> tracer_;
  CallCount calls_;
  std::string unreadable_;
  attribution::ReaderThread reader_;  // what is above is its own until it ends
};

}  // namespace

// The module's rings have up to 128 sub-buffers of up to 4 MiB.
extern const ArmDefinition kKernelArm{.name = "kernel",
                                      .make = [] { return std::unique_ptr<Arm>(std::make_unique<KernelArm>()); },
                                      .policies = {kNobody, "ftrace", "maxlat", "perf"},
                                      .has_events = true,
                                      .most_buffers = 128,
                                      .default_size = 64 * 1024,
                                      .largest_size = 4 * kMiB};

}  // namespace maxlat::npt
