// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/core/sys/text_file.hpp>

namespace maxlat::attribution {
namespace {

constexpr size_t kLargestPage = 256 * 1024;  // a kernel may be told to use larger ones than 4 KiB
constexpr const char* kBufferOfOthersKb = "8";

core::Error as_cannot_run(core::Error error) {
  error.exit_status = core::Exit::cannot_run;
  return error;
}

}  // namespace

core::Result<KernelBuffers> KernelBuffers::open(const std::string& root, const char* prefix) {
  if (core::Status ours = numbers_are_the_kernels(root); !ours) return ours.error();
  const core::Result<std::string> tracefs = core::open_tracefs(root);
  if (!tracefs) return tracefs.error();
  if (core::read_file(*tracefs + "/trace_clock").value_or("").find("x86-tsc") == std::string::npos)
    return core::cannot_run("this kernel's trace has no clock that is the time-stamp counter (x86-tsc)");
  core::remove_instances_of_the_dead(*tracefs, prefix);
  auto instance = core::TraceInstance::make(*tracefs, fmt::format("{}{}", prefix, ::getpid()));
  if (!instance) return as_cannot_run(instance.error());
  return KernelBuffers(*std::move(instance));
}

core::Status KernelBuffers::record(const core::CpuList& cpus, std::span<const std::string> events, size_t kb_of_a_cpu) {
  bytes_.resize(kLargestPage);
  const std::pair<std::string, std::string> settings[] = {{"tracing_on", "0"},
                                                          {"buffer_size_kb", kBufferOfOthersKb},
                                                          {"trace_clock", "x86-tsc"},
                                                          {"options/overwrite", "1"},
                                                          {"tracing_cpumask", core::to_mask(cpus)}};
  for (const auto& [name, value] : settings)
    if (core::Status set = instance_.set(name, value); !set) return as_cannot_run(set.error());
  for (const unsigned cpu : cpus) {
    const std::string folder = fmt::format("per_cpu/cpu{}/", cpu);
    core::Status set = instance_.set(folder + "buffer_size_kb", fmt::format("{}", kb_of_a_cpu));
    if (!set) return as_cannot_run(set.error());
    const std::string file = instance_.path() + "/" + folder + "trace_pipe_raw";
    // Who waited for events would be woken by the interrupt that records them.
    base::Descriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!opened) return as_cannot_run(core::system_error("cannot open " + file, errno));
    files_.push_back(std::move(opened));
  }
  for (const std::string& name : events)
    if (core::Status set = instance_.set("events/" + name + "/enable", "1"); !set) return as_cannot_run(set.error());
  if (core::Status set = instance_.set("tracing_on", "1"); !set) return as_cannot_run(set.error());
  return {};
}

core::Result<bool> KernelBuffers::read(size_t cpu, RingPage& page) {
  for (;;) {
    const ssize_t got = ::read(files_[cpu].number(), bytes_.data(), bytes_.size());
    if (got == 0 || (got < 0 && errno == EAGAIN)) return false;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::system_error("cannot read the kernel's trace buffer", errno);
    const core::Status sound = read_ring_page({bytes_.data(), static_cast<size_t>(got)}, page);
    if (!sound) return sound.error();
    return true;
  }
}

void KernelBuffers::stop() {
  (void)instance_.set("tracing_on", "0");
}

}  // namespace maxlat::attribution
