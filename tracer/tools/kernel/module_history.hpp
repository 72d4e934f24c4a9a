// SPDX-License-Identifier: MIT
//
// The latest of the kernel's events by maxlat_trace.ko, whose rings overwrite (kernel_flight_recorder.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "kernel_flight_recorder.hpp"
#include "module_trace.hpp"

namespace maxlat::trace_tools {

class ModuleHistory final : public KernelHistory {
 public:
  ModuleHistory(const KernelPlan& plan, ModuleSession module) : plan_(plan), module_(std::move(module)) {}

  const char* backend() const override { return kModuleBackend; }
  trace::RecordingReport write(std::unique_ptr<trace::TraceWriter> writer) override;
  void stop() override;
  std::uint64_t overwritten() const override { return taken_.delivered - std::min(taken_.delivered, taken_.read); }

 private:
  bool take_cpu(unsigned cpu, ModuleTrace& trace);

  const KernelPlan plan_;
  ModuleSession module_;
  trace::KernelBooks taken_;  // up to the last snapshot
  bool damaged_ = false;
};

}  // namespace maxlat::trace_tools
