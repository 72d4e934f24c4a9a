// SPDX-License-Identifier: MIT
#include "module_source.hpp"

#include <maxlat/base/counter.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace maxlat::attribution {
namespace {

constexpr uint32_t kRingBits = 3;  // eight packets a ring, as many as let one be read while others fill
constexpr uint32_t kSmallestPacketBits = 12, kLargestPacketBits = 22;
constexpr uint64_t kSwitches = uint64_t{1} << (MAXLAT_KERNEL_sched_switch - 1);

}  // namespace

ModuleSource::ModuleSource(trace::KernelSession session, const core::CpuList& cpus)
    : session_(std::move(session)), cpus_(cpus) {
  for (size_t i = 0; i < cpus.size(); ++i) streams_.emplace_back(thread_of_proc);
}

core::Result<ModuleSource> ModuleSource::open(const core::CpuList& cpus) {
  auto session = trace::KernelSession::open();
  if (!session) return module_not_there(session.error());
  if ((session->capabilities().events & kSwitches) == 0)
    return core::cannot_run("this kernel has no event sched_switch for the kernel tracer's module");
  const auto ring_bits = static_cast<uint32_t>(std::bit_width(kb_of_a_cpu(cpus) << 10)) - 1;
  const core::Status started =
      session->start({.events = ModuleEvents::wanted(),
                      .cpus = cpus,
                      .sub_buffer_bits = std::clamp(ring_bits - kRingBits, kSmallestPacketBits, kLargestPacketBits),
                      .ring_bits = kRingBits,
                      .period = std::chrono::milliseconds(0),
                      .trust_counter = true});
  if (!started) return core::cannot_run(started.error().text, started.error().hint);
  return ModuleSource(*std::move(session), cpus);
}

// A packet is a ring's eighth at most, and read() takes no more than a ring: a turn of the caller's is a few of them.
core::Result<bool> ModuleSource::read(size_t cpu, size_t, std::vector<KernelEvent>& events) {
  ModuleStream& stream = streams_[cpu];
  const uint64_t before = maxlat_counter_plain();
  auto whole =
      session_.read_cpu(cpus_[cpu], [&](const trace::KernelRecord& record) { stream.take(record, decoder_, events); });
  if (whole) stream.end_of_read(before, session_.lost_ahead(cpus_[cpu]), events);
  return whole;
}

uint64_t ModuleSource::events() const {
  uint64_t all = 0;
  for (const ModuleStream& stream : streams_) all += stream.taken();
  return all;
}

uint64_t ModuleSource::lost() const {
  const trace::KernelBooks books = session_.books();
  return books.lost_full + books.lost_wrap + books.lost_big;
}

}  // namespace maxlat::attribution
