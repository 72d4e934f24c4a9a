// SPDX-License-Identifier: MIT
#include "kernel_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cpu_list.hpp>
#include <utility>

#include "record/recorded_channel.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr std::uint64_t kSmallestBuffer = 8 << 10, kLargestBuffer = std::uint64_t{1} << 30;

core::Error no_such_backend(const std::string& name) {
  std::string known;
  for (const KernelBackend& backend : kernel_backends()) known += fmt::format("{}: {}; ", backend.name, backend.what);
  return core::Error{fmt::format("--kernel: \"{}\" records no kernel events", name),
                     fmt::format("{}{}: the first that can", known, kAnyBackend)};
}

core::Result<core::CpuList> cpus_of(const core::CommandLine& line) {
  auto online = core::online_cpus();
  if (!online || !line.has("kernel-cpus")) return online;
  core::CpuList wanted = line.get<core::CpuListArgument>("kernel-cpus").cpus;
  for (const unsigned cpu : wanted)
    if (!core::contains(*online, cpu))
      return core::Error{fmt::format("--kernel-cpus: CPU {} is not online", cpu),
                         fmt::format("online: {}", core::to_string(*online))};
  return wanted;
}

}  // namespace

po::options_description kernel_options() {
  static const std::string names = kernel_backend_names();
  po::options_description options("The kernel's events");
  auto add = options.add_options();
  add("kernel", core::argument(names.c_str())->implicit_value(kAnyBackend, kAnyBackend),
      "record these, too: those of -e whose PROVIDER is a subsystem of the kernel (sched:*), or kprobe (kprobe:SYMBOL, "
      "a function); else a choice");
  add("kernel-cpus", core::argument<core::CpuListArgument>("CPUS"), "of these CPUs (all)");
  add("kernel-size", core::argument("BYTES")->default_value("4M"), "the kernel's buffer of each CPU");
  return options;
}

core::Result<KernelPlan> make_kernel_plan(const core::CommandLine& line, std::vector<std::string> patterns) {
  KernelPlan plan{.backend = line.get<std::string>("kernel"), .patterns = std::move(patterns)};
  const auto backends = kernel_backends();
  const bool known = plan.backend == kAnyBackend ||
                     std::any_of(backends.begin(), backends.end(),
                                 [&](const KernelBackend& backend) { return plan.backend == backend.name; });
  if (!known) return no_such_backend(plan.backend);
  auto cpus = cpus_of(line);
  if (!cpus) return cpus.error();
  plan.cpus = *std::move(cpus);
  std::uint64_t bytes = 0;
  if (const core::Status size = set_bytes(bytes, line.get<std::string>("kernel-size")); !size)
    return core::Error{"--kernel-size: " + size.error().text, size.error().hint};
  if (bytes < kSmallestBuffer || bytes > kLargestBuffer) return core::Error{"--kernel-size: not within 8k and 1G"};
  plan.kb_of_a_cpu = static_cast<std::size_t>(bytes >> 10);
  return plan;
}

}  // namespace maxlat::trace_tools
