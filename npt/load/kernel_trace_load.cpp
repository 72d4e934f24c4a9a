// SPDX-License-Identifier: MIT
#include "kernel_trace_load.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <utility>

namespace maxlat::npt {
namespace {

constexpr const char* kGroups[] = {"syscalls",    "raw_syscalls", "sched",     "irq",
                                   "irq_vectors", "timer",        "workqueue", "block"};
constexpr std::uint64_t kBuffer_bytes = 4u << 20;  // for each CPU: larger than its caches' share
constexpr double kBytesOfMiB = 1 << 20;
constexpr const char* kSystemCalls = "raw_syscalls";
constexpr const char* kTracesItself =
    "this kernel cannot leave the threads that write the load's trace out of it (set_event_notrace_pid, Linux 5.7): "
    "their system calls are among its events";
constexpr std::uint32_t kRingBits = 7;  // of the module's: as many packets as it can have, so that few fill

core::Error nothing_to_trace() {
  return core::cannot_run("this kernel has none of the events to trace");
}

}  // namespace

core::Status KernelTraceLoad::start(const KernelTraceSpec& spec, unsigned measured_cpu) {
  return spec.by == KernelTraceSpec::By::module ? start_module() : start_tracefs(spec, measured_cpu);
}

core::Status KernelTraceLoad::start_tracefs(const KernelTraceSpec& spec, unsigned measured_cpu) {
  auto folder = ArmFolder::make();
  if (!folder) return folder.error();
  folder_.emplace(std::move(*folder));
  if (core::Status status = instance_.find(*folder_); !status) return status;
  const std::uint64_t bytes = spec.is_drained() ? spec.sub_buffer_bytes * spec.sub_buffers : kBuffer_bytes;
  if (core::Status status = instance_.make(*folder_, bytes); !status) return status;
  return spec.is_drained() ? start_drained(spec.events == KernelTraceSpec::Events::all, measured_cpu) : enable_groups();
}

core::Status KernelTraceLoad::drain(const std::string& instance, unsigned measured_cpu, const std::string& to) {
  return drain_.emplace().start(instance, measured_cpu, to);
}

core::Status KernelTraceLoad::start_drained(bool all, unsigned measured_cpu) {
  if (core::Status status = drain(instance_.path(), measured_cpu); !status) return status;
  what_ = fmt::format("{}, by tracefs, written to {}", all ? "all groups" : kSystemCalls, TraceDrain::kFolder);
  if (all) return instance_.enable_all();
  return instance_.enable(kSystemCalls) ? core::Status() : nothing_to_trace();
}

core::Status KernelTraceLoad::enable_groups() {
  if (core::Status status = instance_.keep_the_newest(); !status) return status;
  std::string groups;
  for (const char* group : kGroups)
    if (instance_.enable(group)) groups += std::string(groups.empty() ? "" : " ") + group;  // else: not in this kernel
  if (groups.empty()) return nothing_to_trace();
  what_ = groups + ", by tracefs";
  return {};
}

core::Status KernelTraceLoad::start_module() {
  auto session = trace::KernelSession::open();
  if (!session) return session.error();
  std::uint64_t events = 0;
  std::string groups;
  for (const std::string group : kGroups) {
    const std::uint64_t of_group = trace::kernel_events_matching(group + ":*") & session->capabilities().events;
    if (of_group != 0) groups += (groups.empty() ? "" : " ") + group;
    events |= of_group;
  }
  if (events == 0) return nothing_to_trace();
  const core::Status started =
      session->start({.events = events,
                      .sub_buffer_bits = static_cast<std::uint32_t>(std::countr_zero(kBuffer_bytes)) - kRingBits,
                      .ring_bits = kRingBits,
                      .overwrite = true,
                      .period = std::chrono::milliseconds(0),
                      .trust_counter = true});  // nobody reads its times
  if (!started) return started.error();
  session_.emplace(*std::move(session));
  what_ = groups + ", by maxlat_trace";
  return {};
}

core::Status KernelTraceLoad::status() const {
  return drain_ ? drain_->status() : core::Status();
}

KernelTraceLoad::Counts KernelTraceLoad::Counts::since(const Counts& before) const {
  return {events - before.events, lost - before.lost, bytes - before.bytes};
}

KernelTraceLoad::Counts KernelTraceLoad::counts() const {
  if (session_) return {.events = session_->books().delivered, .lost = 0, .bytes = 0};
  if (!drain_) return {.events = instance_.seen(), .lost = 0, .bytes = 0};  // to overwrite the oldest is no loss
  return {.events = instance_.seen(), .lost = instance_.lost(), .bytes = drain_->bytes()};
}

std::string KernelTraceLoad::text(const Counts& counts) const {
  std::string text = fmt::format("the kernel traced: {} events of {}", counts.events, what_);
  if (drain_)
    text += fmt::format(": {:.1f} MiB, {} events lost", static_cast<double>(counts.bytes) / kBytesOfMiB, counts.lost);
  return text;
}

void KernelTraceLoad::enter(core::Phase& phase, const Counts& meanwhile) const {
  phase.facts["load"] = text(meanwhile);
  if (drain_ && drain_->is_traced_itself()) phase.warnings.emplace_back(kTracesItself);
  if (phase.status != core::PhaseStatus::ok) return;
  const core::Status written = status();
  if (written && meanwhile.events != 0) return;
  phase.status = core::PhaseStatus::invalid;
  phase.reason = written ? "the kernel's tracer recorded nothing meanwhile" : written.error().text;
}

}  // namespace maxlat::npt
