// SPDX-License-Identifier: MIT
//
// The arguments of the kernel's tracepoints and functions, as the running kernel tells them itself (BTF, in
// /sys/kernel/btf: of the kernel and of each loaded module). libbpf reads that; nothing else here knows it.
//
// A tracepoint NAME is the type btf_trace_NAME, of a probe: its arguments without the first. They have names in
// __traceiter_NAME, which calls the probes.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

class KernelTypes {
 public:
  using Arguments = std::vector<trace::KernelRawEvent::Argument>;

  // `root` is "/" in life. ERRORS: this kernel tells no types, or in a form that libbpf does not know
  // (Exit::cannot_run, both).
  static core::Result<KernelTypes> open(const std::string& root = "/");

  KernelTypes(KernelTypes&&) noexcept;
  KernelTypes& operator=(KernelTypes&&) noexcept;
  ~KernelTypes();

  // ERRORS (Exit::cannot_run): no such tracepoint is told of; more than MAXLAT_TRACE_RAW_ARGUMENTS; one that is not
  // handed over as an integer is.
  core::Result<Arguments> of_tracepoint(const std::string& name) const;
  // Those in registers, as far as they are known: all six, as a0 to a5, of a function that is not told of.
  Arguments of_function(const std::string& symbol) const;

 private:
  struct State;
  explicit KernelTypes(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace maxlat::trace_tools
