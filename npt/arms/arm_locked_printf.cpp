// SPDX-License-Identifier: MIT
//
// locked-printf: a mutex, formatted text and a buffered file, as many programs log. Beamonte 2015, section 2.2, calls
// this class of tracer unsuitable for real time; here it is the measure of how much.
#include <fmt/format.h>
#include <time.h>

#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <mutex>

#include "line_count.hpp"

namespace maxlat::npt {
namespace {

class LockedPrintfArm : public Arm {
 public:
  ~LockedPrintfArm() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  core::Status set_up(const ArmSurroundings& surroundings) override {
    ns_per_tick_ = surroundings.clock.to_ns(1.0);
    path_ = surroundings.trace_folder + "/npt.log";
    file_ = std::fopen(path_.c_str(), "we");
    if (file_ == nullptr) return core::system_error("cannot write " + path_, errno);
    return {};
  }
  maxlat_npt_probe probe() override { return {this, start, loop, stop}; }

  ArmBooks finish(const ArmRun&) override {
    const int unwritten = std::fclose(file_) == 0 ? failure_ : errno;
    file_ = nullptr;
    ArmBooks books;
    books.events = core::EventCounts{.recorded = count_lines(path_)};
    books.verified_by = "lines of the file";
    std::error_code unreadable;
    books.facts[core::fact::kTraceBytes] = fmt::format("{}", std::filesystem::file_size(path_, unreadable));
    if (unwritten != 0) books.invalid = fmt::format("cannot write {}: {}", path_, std::strerror(unwritten));
    return books;
  }

 private:
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::lock_guard lock(mutex_);
    std::fprintf(file_, "[%lld.%09ld] ", static_cast<long long>(now.tv_sec), now.tv_nsec);
    va_list values;
    va_start(values, format);
    if (std::vfprintf(file_, format, values) < 0 && failure_ == 0) failure_ = errno;
    va_end(values);
  }
  static void start(void* self) { static_cast<LockedPrintfArm*>(self)->print("npt:start\n"); }
  static void stop(void* self) { static_cast<LockedPrintfArm*>(self)->print("npt:stop\n"); }
  static void loop(void* state, uint64_t count, uint64_t ticks) {
    auto* const self = static_cast<LockedPrintfArm*>(state);
    self->print("npt:loop count=%" PRIu64 " ticks=%" PRIu64 " duration=%.3f\n", count, ticks,
                static_cast<double>(ticks) * self->ns_per_tick_);
  }

  double ns_per_tick_ = 0;
  std::string path_;
  std::FILE* file_ = nullptr;
  std::mutex mutex_;
  int failure_ = 0;  // the first errno of a write
};

}  // namespace

extern const ArmDefinition kLockedPrintfArm{
    .name = "locked-printf", .make = [] { return std::unique_ptr<Arm>(std::make_unique<LockedPrintfArm>()); }};

}  // namespace maxlat::npt
