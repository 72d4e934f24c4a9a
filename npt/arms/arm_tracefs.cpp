// SPDX-License-Identifier: MIT
//
// uprobe and ftrace-marker: the kernel's own ways to record an event of a program. A uprobe is a breakpoint on a
// function (a trap for each event); the marker is a system call for each event with text that the program has
// formatted. Both end in the kernel's ring buffer, which is read when the loop has ended: there is no consumer.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/npt/arm_definition.hpp>

#include "tracefs_instance.hpp"

namespace maxlat::npt {

// Where the kernel puts its breakpoints. The arguments are in the registers that it fetches. The statement keeps the
// compiler from removing the calls and merging the functions; that it is a nop spares the kernel to step through a copy
// of the instruction (1 us instead of 9 where this was written), and an SDT probe is a nop, too. They are not local to
// this file: a compiler may leave out arguments of functions that are.
[[gnu::noinline]] void uprobe_start() {
  asm volatile("nop" : : "i"(1));
}
[[gnu::noinline]] void uprobe_loop(uint64_t count, uint64_t ticks, uint64_t duration_ns) {
  asm volatile("nop" : : "r"(count), "r"(ticks), "r"(duration_ns));
}
[[gnu::noinline]] void uprobe_stop() {
  asm volatile("nop" : : "i"(2));
}

namespace {

#if defined(__x86_64__)
constexpr const char* kLoopFields = " count=%di:u64 ticks=%si:u64 duration=%dx:u64";
#elif defined(__aarch64__)
constexpr const char* kLoopFields = " count=%x0:u64 ticks=%x1:u64 duration=%x2:u64";
#else
constexpr const char* kLoopFields = "";
#endif

// "FILE:OFFSET" of a function of ours, as uprobe_events wants it; empty when the mapping cannot be found.
std::string place_of(const void* function) {
  const auto address = reinterpret_cast<uintptr_t>(function);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    uint64_t offset = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %*s %*s %n", &begin, &end, &offset,
                    &path) != 3)
      continue;
    if (address >= begin && address < end)
      return fmt::format("{}:{:#x}", line.substr(static_cast<size_t>(path)), address - begin + offset);
  }
  return {};
}

// What the two have in common.
class TracefsArm : public Arm {
 public:
  ArmBooks finish(const ArmRun&) override {
    ArmBooks books;
    const core::Status stopped = instance_.stop();
    const auto recorded = instance_.save(trace_file_);
    if (!stopped) books.invalid = stopped.error().text;
    if (!recorded) books.invalid = recorded.error().text;
    books.events = core::EventCounts{.recorded = recorded ? *recorded : 0, .lost_full = lost()};
    books.verified_by = recorded ? "lines of the kernel's trace" : "not verified: " + recorded.error().text;
    books.facts["consumer"] = "none: the kernel's buffer is read after the loop";
    std::error_code unreadable;
    books.facts[core::fact::kTraceBytes] = fmt::format("{}", std::filesystem::file_size(trace_file_, unreadable));
    return books;
  }

 protected:
  void keep(const ArmSurroundings& surroundings) {
    ns_per_tick_ = surroundings.clock.to_ns(1.0);
    trace_file_ = surroundings.trace_folder + "/trace.txt";
  }
  virtual uint64_t lost() const = 0;

  TracefsInstance instance_;
  double ns_per_tick_ = 0;
  std::string trace_file_;
};

class UprobeArm : public TracefsArm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    keep(surroundings);
    const ArmFolder& folder = *surroundings.folder;
    if (core::Status status = instance_.find(folder); !status) return status;
    const std::string group = fmt::format("maxlat_npt_{}", ::getpid());
    const std::pair<const char*, std::string> events[] = {
        {"start", place_of(reinterpret_cast<const void*>(&uprobe_start))},
        {"loop", place_of(reinterpret_cast<const void*>(&uprobe_loop)) + kLoopFields},
        {"stop", place_of(reinterpret_cast<const void*>(&uprobe_stop))}};
    for (const auto& [event, place] : events)
      if (core::Status status = instance_.add_uprobe(folder, group, event, place); !status) return status;
    if (core::Status status = instance_.make(folder, surroundings.spec.sub_buffer_bytes); !status) return status;
    return instance_.enable(group);
  }
  maxlat_npt_probe probe() override { return {this, start, loop, stop}; }

 private:
  uint64_t lost() const override { return instance_.lost(); }
  static void start(void*) { uprobe_start(); }
  static void stop(void*) { uprobe_stop(); }
  static void loop(void* state, uint64_t count, uint64_t ticks) {
    const double ns = static_cast<double>(ticks) * static_cast<UprobeArm*>(state)->ns_per_tick_;
    uprobe_loop(count, ticks, static_cast<uint64_t>(ns));
  }
};

class MarkerArm : public TracefsArm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    keep(surroundings);
    const ArmFolder& folder = *surroundings.folder;
    if (core::Status status = instance_.find(folder); !status) return status;
    if (core::Status status = instance_.make(folder, surroundings.spec.sub_buffer_bytes); !status) return status;
    const std::string file = instance_.path() + "/trace_marker";
    marker_ = base::Descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (marker_) return {};
    core::Error error = core::system_error("cannot open " + file, errno);
    error.exit_status = core::Exit::cannot_run;
    return error;
  }
  maxlat_npt_probe probe() override { return {this, start, loop, stop}; }

  ArmBooks finish(const ArmRun& run) override {
    ArmBooks books = TracefsArm::finish(run);
    marker_ = {};  // or the instance could not be removed
    return books;
  }

 private:
  uint64_t lost() const override { return refused_.load(); }
  void mark(const char* text, int length) {
    // A full buffer refuses the write. relaxed: read after the thread was joined.
    if (::write(marker_.number(), text, static_cast<size_t>(length)) != length)
      refused_.fetch_add(1, std::memory_order_relaxed);
  }
  static void start(void* state) { static_cast<MarkerArm*>(state)->mark("npt:start\n", 10); }
  static void stop(void* state) { static_cast<MarkerArm*>(state)->mark("npt:stop\n", 9); }
  static void loop(void* state, uint64_t count, uint64_t ticks) {
    auto* const self = static_cast<MarkerArm*>(state);
    char text[128];
    const int length = std::snprintf(text, sizeof text, "npt:loop count=%" PRIu64 " ticks=%" PRIu64 " duration=%.3f\n",
                                     count, ticks, static_cast<double>(ticks) * self->ns_per_tick_);
    self->mark(text, length);
  }

  base::Descriptor marker_;  // closed before the base's instance is removed
  std::atomic<uint64_t> refused_{0};
};

}  // namespace

extern const ArmDefinition kUprobeArm{.name = "uprobe",
                                      .make = [] { return std::unique_ptr<Arm>(std::make_unique<UprobeArm>()); },
                                      .default_size = 32 * kMiB,
                                      .largest_size = kGiB};
extern const ArmDefinition kFtraceMarkerArm{.name = "ftrace-marker",
                                            .make = [] { return std::unique_ptr<Arm>(std::make_unique<MarkerArm>()); },
                                            .default_size = 32 * kMiB,
                                            .largest_size = kGiB};

}  // namespace maxlat::npt
