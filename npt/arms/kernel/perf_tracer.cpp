// SPDX-License-Identifier: MIT
//
// kernel:perf: the kernel's tracepoints as events of perf_event_open(2), those of a CPU in one ring, which is mapped.
// The ring drops what finds no room. It wakes nobody: our thread comes by its own timer.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <optional>

#include "kernel_tracer.hpp"
#include "raw_system_calls.hpp"

namespace maxlat::npt {
namespace {

constexpr size_t kBehindTheThreadAndTime = 2 * sizeof(uint32_t) + sizeof(uint64_t);  // of a sample, before its record

// What perf(1) records by default that the other tracers have, too: thread, time and the event's own record.
perf_event_attr attributes_of(uint64_t event) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = event;
  attributes.sample_period = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
  attributes.read_format = PERF_FORMAT_LOST;
  attributes.disabled = 1;
  attributes.watermark = 1;
  attributes.wakeup_watermark = UINT32_MAX;
  return attributes;
}

core::Error not_opened(const std::string& event, int why) {
  if (why == EINVAL)
    return core::cannot_run("this kernel's perf does not count the events that it loses", "Linux 6.0 and later do");
  core::Error error = core::system_error("perf_event_open() of " + event, why,
                                         "run as root; /proc/sys/kernel/perf_event_paranoid may forbid it");
  error.exit_status = core::Exit::cannot_run;
  return error;
}

// One CPU's ring: a page with the two ends of what is in it, then the bytes.
class PerfRing {
 public:
  // ERRORS: not permitted, no memory.
  static core::Result<PerfRing> make(unsigned cpu, const std::vector<attribution::EventFormat>& events, size_t bytes) {
    PerfRing ring;
    ring.cpu_ = cpu;
    ring.bytes_ = bytes;
    for (const attribution::EventFormat& event : events)
      if (core::Status added = ring.add(event); !added) return added.error();
    for (const base::Descriptor& event : ring.events_)
      if (::ioctl(event.number(), PERF_EVENT_IOC_ENABLE, 0) != 0)
        return core::system_error("cannot start perf's events", errno);
    return ring;
  }

  core::Status read(const RawSystemCalls& system_calls, CallCount& calls) {
    auto* const page = static_cast<perf_event_mmap_page*>(mapping_.where());
    // acquire: the records before that end are whole (perf_output_put_handle() of the kernel)
    const uint64_t end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = page->data_tail;
    while (at != end) {
      perf_event_header header;
      copy(at, &header, sizeof header);
      if (header.size < sizeof header || header.size > end - at)
        return core::Error{fmt::format("perf's ring of CPU {} has a record of {} bytes", cpu_, header.size)};
      if (header.type == PERF_RECORD_SAMPLE) take(at + sizeof header, header.size - sizeof header, system_calls, calls);
      at += header.size;
    }
    // release: the kernel writes there again
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
    return {};
  }

  core::Status stop() const {
    for (const base::Descriptor& event : events_)
      if (::ioctl(event.number(), PERF_EVENT_IOC_DISABLE, 0) != 0)
        return core::system_error("cannot stop perf's events", errno);
    return {};
  }
  uint64_t lost() const {
    uint64_t all = 0;
    for (const base::Descriptor& event : events_) {
      uint64_t value_and_lost[2] = {};
      if (::read(event.number(), value_and_lost, sizeof value_and_lost) == sizeof value_and_lost)
        all += value_and_lost[1];
    }
    return all;
  }

 private:
  core::Status add(const attribution::EventFormat& event) {
    perf_event_attr attributes = attributes_of(event.id);
    base::Descriptor file(static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu_), -1, PERF_FLAG_FD_CLOEXEC)));
    if (!file) return not_opened(event.name, errno);
    if (!events_.empty()) {
      if (::ioctl(file.number(), PERF_EVENT_IOC_SET_OUTPUT, events_.front().number()) != 0)
        return core::system_error("cannot have perf's events of a CPU in one ring", errno);
    } else {
      const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
      void* const where = ::mmap(nullptr, page + bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
      if (where == MAP_FAILED)
        return core::system_error(fmt::format("cannot map perf's ring of CPU {}", cpu_), errno, "a smaller size=");
      mapping_ = base::Mapping(where, page + bytes_);
      ring_ = static_cast<const std::byte*>(where) + page;
    }
    events_.push_back(std::move(file));
    return {};
  }

  void copy(uint64_t from, void* to, size_t size) const {
    const size_t at = from & (bytes_ - 1), first = std::min(size, bytes_ - at);
    std::memcpy(to, ring_ + at, first);
    std::memcpy(static_cast<std::byte*>(to) + first, ring_, size - first);
  }

  // u32 process, u32 thread, u64 time, u32 size, the record.
  void take(uint64_t at, size_t size, const RawSystemCalls& system_calls, CallCount& calls) {
    uint32_t record_size = 0;
    constexpr size_t kBefore = kBehindTheThreadAndTime + sizeof record_size;
    if (size < kBefore) return;
    copy(at + kBehindTheThreadAndTime, &record_size, sizeof record_size);
    record_.resize(std::min<size_t>(record_size, size - kBefore));
    copy(at + kBefore, record_.data(), record_.size());
    system_calls.take(cpu_, record_, calls);
  }

  unsigned cpu_ = 0;
  size_t bytes_ = 0;
  std::vector<base::Descriptor> events_;  // the ring is the first one's
  base::Mapping mapping_;
  const std::byte* ring_ = nullptr;
  std::vector<std::byte> record_;
};

class PerfTracer : public KernelTracer {
 public:
  core::Status start(const KernelTracerPlan& plan) override {
    const auto tracefs = core::open_tracefs("/");
    if (!tracefs) return tracefs.error();
    const std::string folder = *tracefs + "/events";
    auto names = events_of_tracefs(folder, plan.patterns);
    if (!names) return names.error();
    auto system_calls = RawSystemCalls::of(folder);
    if (!system_calls) return system_calls.error();
    system_calls_ = *std::move(system_calls);
    std::vector<attribution::EventFormat> events;
    for (const std::string& name : *names) {
      auto format = attribution::read_event_format(folder, name);
      if (!format) return format.error();
      if (*format) events.push_back(**std::move(format));
    }
    for (const unsigned cpu : plan.cpus) {
      auto ring = PerfRing::make(cpu, events, plan.bytes_of_a_cpu());
      if (!ring) return ring.error();
      rings_.push_back(*std::move(ring));
    }
    return {};
  }

  core::Status read(CallCount& calls) override {
    for (PerfRing& ring : rings_)
      if (core::Status read = ring.read(system_calls_, calls); !read) return read;
    return {};
  }
  core::Status stop() override {
    for (const PerfRing& ring : rings_)
      if (core::Status stopped = ring.stop(); !stopped) return stopped;
    return {};
  }
  uint64_t lost() const override {
    uint64_t all = 0;
    for (const PerfRing& ring : rings_) all += ring.lost();
    return all;
  }

 private:
  RawSystemCalls system_calls_;
  std::vector<PerfRing> rings_;
};

}  // namespace

std::unique_ptr<KernelTracer> make_perf_tracer() {
  return std::make_unique<PerfTracer>();
}

}  // namespace maxlat::npt
