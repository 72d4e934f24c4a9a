// SPDX-License-Identifier: MIT
//
// The kernel's events by our module maxlat_trace, where it is loaded: out of memory that is shared with it, at a
// seventh of the instructions that the kernel's own buffers take.
#pragma once

#include <cstdint>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <vector>

#include "event_source.hpp"
#include "module/module_stream.hpp"
#include "module_events.hpp"

namespace maxlat::attribution {

class ModuleSource final : public EventSource {
 public:
  // Records from now on. The counter is taken as it is: whoever measures with it has judged it. ERRORS: no module, or
  // none that can (Exit::cannot_run).
  static core::Result<ModuleSource> open(const core::CpuList& cpus);

  const char* backend() const override { return kModuleBackend; }
  core::Result<bool> read(size_t cpu, size_t at_most_packets, std::vector<KernelEvent>& events) override;
  void stop() override { (void)session_.stop(); }  // it fails only where it has been stopped
  uint64_t events() const override;
  uint64_t lost() const override;

 private:
  ModuleSource(trace::KernelSession session, const core::CpuList& cpus);

  trace::KernelSession session_;
  core::CpuList cpus_;
  ModuleEvents decoder_;
  std::vector<ModuleStream> streams_;
};

}  // namespace maxlat::attribution
