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
constexpr std::uint32_t kRingBits = 7;             // of the module's: as many packets as it can have, so that few fill

core::Error nothing_to_trace() {
  return core::cannot_run("this kernel has none of the events to trace");
}

}  // namespace

core::Status KernelTraceLoad::start(By by) {
  return by == By::module ? start_module() : start_tracefs();
}

core::Status KernelTraceLoad::start_tracefs() {
  auto folder = ArmFolder::make();
  if (!folder) return folder.error();
  folder_.emplace(std::move(*folder));
  if (core::Status status = instance_.find(*folder_); !status) return status;
  if (core::Status status = instance_.make(*folder_, kBuffer_bytes); !status) return status;
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

std::uint64_t KernelTraceLoad::events() const {
  return session_ ? session_->books().delivered : instance_.seen();
}

std::string KernelTraceLoad::text(std::uint64_t events) const {
  return fmt::format("the kernel traced: {} events of {}", events, what_);
}

void KernelTraceLoad::enter(core::Phase& phase, std::uint64_t events) const {
  phase.facts["load"] = text(events);
  if (events != 0 || phase.status != core::PhaseStatus::ok) return;
  phase.status = core::PhaseStatus::invalid;
  phase.reason = "the kernel's tracer recorded nothing meanwhile";
}

}  // namespace maxlat::npt
