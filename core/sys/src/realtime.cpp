// SPDX-License-Identifier: MIT
#include <alloca.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/kernel_release.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace maxlat::core {
namespace {

// struct sched_attr of sched_setattr(2), first version. The kernel's header for it redefines glibc's sched_param, and
// glibc has it since 2.41 only.
struct KernelAttributes {
  uint32_t size = sizeof(KernelAttributes);
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};
static_assert(sizeof(KernelAttributes) == 48);

constexpr const char* kNiceHint =
    "run as root, or give it CAP_SYS_NICE (setcap cap_sys_nice+ep), or raise RLIMIT_RTPRIO (ulimit -r)";
constexpr const char* kMemlockHint = "ulimit -l unlimited, or run as root, or give it CAP_IPC_LOCK";

bool has_priority(Policy policy) {
  return policy == Policy::fifo || policy == Policy::round_robin;
}

uint32_t kernel_number(Policy policy) {
  switch (policy) {
    case Policy::fifo:
      return SCHED_FIFO;
    case Policy::round_robin:
      return SCHED_RR;
    case Policy::deadline:
      return SCHED_DEADLINE;
    case Policy::batch:
      return SCHED_BATCH;
    case Policy::idle:
      return SCHED_IDLE;
    case Policy::other:
      break;
  }
  return SCHED_OTHER;
}

Result<Scheduling> from_kernel(const KernelAttributes& attributes) {
  switch (attributes.policy) {
    case SCHED_OTHER:
      return Scheduling{Policy::other, 0, 0, 0};
    case SCHED_BATCH:
      return Scheduling{Policy::batch, 0, 0, 0};
    case SCHED_IDLE:
      return Scheduling{Policy::idle, 0, 0, 0};
    case SCHED_FIFO:
      return Scheduling{Policy::fifo, static_cast<int>(attributes.priority), 0, 0};
    case SCHED_RR:
      return Scheduling{Policy::round_robin, static_cast<int>(attributes.priority), 0, 0};
    case SCHED_DEADLINE:
      return Scheduling{Policy::deadline, 0, attributes.runtime_ns, attributes.period_ns};
    default:
      return Error{fmt::format("the kernel reports the unknown scheduling policy {}", attributes.policy)};
  }
}

std::string hint_for(const Scheduling& scheduling, int errno_value) {
  if (errno_value == EBUSY) return "the deadline threads together would need more CPU than sched_rt_runtime_us admits";
  if (errno_value != EPERM) return {};
  if (scheduling.policy == Policy::deadline && geteuid() == 0)
    return "a SCHED_DEADLINE thread must be allowed on every CPU of its root domain: give no affinity, or a cpuset "
           "partition";
  if (geteuid() == 0)
    return "root may not either: the container lacks CAP_SYS_NICE, or its cgroup has no cpu.rt_runtime_us";
  return kNiceHint;
}

// Who may not have it cannot measure here: no error of the command, and no result either.
Error refused(std::string what, int errno_value, std::string hint) {
  Error error = system_error(std::move(what), errno_value, std::move(hint));
  if (errno_value == EPERM || errno_value == ENOMEM) error.exit_status = Exit::cannot_run;
  return error;
}

std::optional<int64_t> read_number(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

// The fair server replaced RT throttling in 6.12.
bool kernel_has_fair_server(const std::string& release) {
  const auto linux_is = kernel_release(release);
  return linux_is && *linux_is >= KernelRelease{6, 12};
}

// The longest stop of any CPU's server; not known when there is none to read.
RtThrottling read_fair_server(const std::string& directory, const CpuList& cpus) {
  RtThrottling longest;
  longest.by = RtThrottling::By::fair_server;
  std::error_code none;
  for (const auto& cpu : std::filesystem::directory_iterator(directory, none)) {
    const auto is_this = [&](unsigned number) { return cpu.path().filename() == fmt::format("cpu{}", number); };
    if (!cpus.empty() && std::none_of(cpus.begin(), cpus.end(), is_this)) continue;
    const auto runtime = read_number(cpu.path() / "runtime"), period = read_number(cpu.path() / "period");
    if (!runtime || !period) continue;
    const auto stop_ns = static_cast<uint64_t>(*runtime);
    if (!longest.known || stop_ns > longest.stop_ns) {
      longest.stop_ns = stop_ns;
      longest.period_ns = static_cast<uint64_t>(*period);
    }
    longest.known = true;
  }
  if (longest.known && longest.stop_ns == 0) longest.by = RtThrottling::By::nothing;
  return longest;
}

// What sched_rt_{period,runtime}_us ask for.
RtThrottling read_rt_limit(const std::string& root) {
  RtThrottling throttling;
  const auto period_us = read_number(root + "/proc/sys/kernel/sched_rt_period_us");
  const auto runtime_us = read_number(root + "/proc/sys/kernel/sched_rt_runtime_us");
  if (!period_us || !runtime_us) return throttling;
  throttling.known = true;
  throttling.period_ns = static_cast<uint64_t>(*period_us) * 1000;
  if (*runtime_us < 0 || *runtime_us >= *period_us) return throttling;
  throttling.by = RtThrottling::By::rt_throttling;
  throttling.stop_ns = static_cast<uint64_t>(*period_us - *runtime_us) * 1000;
  return throttling;
}

// Whether a kernel with the fair server heeds that limit; nothing where its configuration is not there to read.
std::optional<bool> has_rt_group_scheduling(const std::string& root, const std::string& release) {
  const auto config = read_text(root + "/boot/config-" + release);
  if (!config) return {};
  return ("\n" + *config + "\n").find("\nCONFIG_RT_GROUP_SCHED=y\n") != std::string::npos;
}

// Of two that may both stop a loop: what takes the larger share of it.
RtThrottling larger_of(const RtThrottling& server, const RtThrottling& limit, bool heeded) {
  using By = RtThrottling::By;
  if (limit.by == By::nothing) return server;
  RtThrottling larger = limit;
  if (server.known && server.by == By::nothing) return larger;
  if (!server.known && !heeded) larger = server;
  if (server.known) {
    const double of_server = static_cast<double>(server.stop_ns) / static_cast<double>(server.period_ns);
    const double of_limit = static_cast<double>(limit.stop_ns) / static_cast<double>(limit.period_ns);
    if (of_server > of_limit || (of_server == of_limit && !heeded)) return server;
    if (of_limit > of_server && heeded) return limit;
  }
  larger.by = By::either;
  return larger;
}

}  // namespace

Result<Scheduling> parse_policy(std::string_view text, int priority) {
  if (text == "fifo") return Scheduling{Policy::fifo, priority, 0, 0};
  if (text == "rr") return Scheduling{Policy::round_robin, priority, 0, 0};
  if (text == "other") return Scheduling{Policy::other, 0, 0, 0};
  const Error unknown{fmt::format("\"{}\" is not a scheduling policy", text),
                      "policies are fifo, rr, other and deadline:RUNTIME:PERIOD (deadline:50us:1ms)"};
  constexpr std::string_view kDeadline = "deadline:";
  if (!text.starts_with(kDeadline)) return unknown;
  text.remove_prefix(kDeadline.size());
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return unknown;
  const auto runtime_ns = parse_duration_ns(text.substr(0, colon), kUnitNeeded);
  if (!runtime_ns) return runtime_ns.error();
  const auto period_ns = parse_duration_ns(text.substr(colon + 1), kUnitNeeded);
  if (!period_ns) return period_ns.error();
  if (*runtime_ns == 0 || *runtime_ns > *period_ns)
    return Error{"a deadline's runtime must be above 0 and at most its period", unknown.hint};
  return Scheduling{Policy::deadline, 0, *runtime_ns, *period_ns};
}

std::string to_string(const Scheduling& scheduling) {
  switch (scheduling.policy) {
    case Policy::fifo:
      return fmt::format("SCHED_FIFO {}", scheduling.priority);
    case Policy::round_robin:
      return fmt::format("SCHED_RR {}", scheduling.priority);
    case Policy::deadline:
      return fmt::format("SCHED_DEADLINE {} of {}", latency_text(static_cast<double>(scheduling.runtime_ns)),
                         latency_text(static_cast<double>(scheduling.period_ns)));
    case Policy::batch:
      return "SCHED_BATCH";
    case Policy::idle:
      return "SCHED_IDLE";
    case Policy::other:
      break;
  }
  return "SCHED_OTHER";
}

Result<Scheduling> current_scheduling() {
  KernelAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0)
    return system_error("cannot read the scheduling policy", errno);
  return from_kernel(attributes);
}

Status set_affinity(const CpuList& cpus) {
  if (cpus.empty()) return Error{"cannot pin a thread to no CPU"};
  const AffinityMask wanted(cpus);
  if (!wanted.apply(0)) {
    const int set_errno = errno;
    if (const auto door = ShieldDoor::find(); set_errno == EINVAL && door && door->leads_to(cpus)) {
      if (const Status entered = door->enter(); !entered) return entered;
      if (wanted.apply(0)) return set_affinity(cpus);  // of the shield's CPUs: reads back
    }
    if (auto usable = require_usable(cpus); !usable) return usable.error();  // says which CPU, and why
    return system_error(fmt::format("cannot run on CPU {}", to_string(cpus)), set_errno);
  }
  auto granted = allowed_cpus();
  if (!granted) return granted.error();
  if (*granted == cpus) return {};
  if (auto usable = require_usable(cpus); !usable) return usable.error();
  return Error{fmt::format("asked to run on CPU {}, the kernel granted {}", to_string(cpus), to_string(*granted))};
}

// One raw call for every policy: glibc has no wrapper for SCHED_DEADLINE before 2.41.
Status set_scheduling(const Scheduling& scheduling) {
  const std::string what = fmt::format("cannot set {}", to_string(scheduling));
  if (has_priority(scheduling.policy) && (scheduling.priority < 1 || scheduling.priority > 99))
    return Error{fmt::format("{}: a real-time priority is 1 to 99", what)};
  KernelAttributes wanted;
  wanted.policy = kernel_number(scheduling.policy);
  wanted.nice = getpriority(PRIO_PROCESS, 0);  // as it was: 0 would be a promotion for who was started with nice(1)
  if (has_priority(scheduling.policy)) wanted.priority = static_cast<uint32_t>(scheduling.priority);
  if (scheduling.policy == Policy::deadline) {
    wanted.runtime_ns = scheduling.runtime_ns;
    wanted.deadline_ns = wanted.period_ns = scheduling.period_ns;
  }
  if (syscall(SYS_sched_setattr, 0, &wanted, 0) != 0) return refused(what, errno, hint_for(scheduling, errno));

  const auto now = current_scheduling();
  if (!now) return now.error();
  const bool kept = now->policy == scheduling.policy &&
                    (!has_priority(scheduling.policy) || now->priority == scheduling.priority) &&
                    (scheduling.policy != Policy::deadline ||
                     (now->runtime_ns == scheduling.runtime_ns && now->period_ns == scheduling.period_ns));
  if (!kept) return Error{fmt::format("{}: the kernel kept {}", what, to_string(*now))};
  return {};
}

// Policy before affinity: an ordinary thread would wait on that CPU for whoever keeps it busy. But the affinity of a
// SCHED_DEADLINE thread cannot be changed any more.
Status become_real_time_on(unsigned cpu, const Scheduling& scheduling, const std::function<Error(Error)>& refused) {
  const bool deadline = scheduling.policy == Policy::deadline;
  if (deadline)
    if (Status bound = set_affinity({cpu}); !bound) return bound;
  if (Status set = set_scheduling(scheduling); !set) return refused ? refused(set.error()) : set;
  return deadline ? Status() : set_affinity({cpu});
}

Status lock_memory(size_t stack_bytes) {
  // Memory that was touched once stays ours: a freed block must not go back to the kernel and fault in again.
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_MMAP_MAX, 0);
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    return refused("cannot lock memory (mlockall)", errno, errno == EPERM || errno == ENOMEM ? kMemlockHint : "");
  const auto status = read_text("/proc/self/status");
  if (status && status->find("VmLck:\t       0 kB") != std::string::npos)
    return Error{"mlockall reported success, but no page is locked (VmLck is 0)"};
  touch_stack(stack_bytes);
  return {};
}

[[gnu::noinline]] void touch_stack(size_t bytes) {
  constexpr size_t kPage = 4096;
  auto* stack = static_cast<volatile char*>(alloca(bytes));
  for (size_t offset = 0; offset < bytes; offset += kPage) stack[offset] = 0;
}

Result<DmaLatency> DmaLatency::hold(int32_t microseconds) {
  constexpr const char* kPath = "/dev/cpu_dma_latency";
  base::Descriptor device(::open(kPath, O_RDWR | O_CLOEXEC));
  if (!device)
    return system_error(
        fmt::format("cannot hold off idle states: {}", kPath), errno,
        errno == ENOENT ? "this kernel or container has no such device; boot with idle=poll or use cpupower idle-set"
                        : "run as root, or give your group write access to the device");
  if (::write(device.number(), &microseconds, sizeof microseconds) != sizeof microseconds)
    return system_error(fmt::format("cannot write {} us to {}", microseconds, kPath), errno);
  // The device reads as the smallest request of all holders.
  int32_t effective = 0;
  if (::pread(device.number(), &effective, sizeof effective, 0) != sizeof effective)
    return system_error(fmt::format("cannot read {} back", kPath), errno);
  if (effective > microseconds)
    return Error{fmt::format("asked {} for {} us, the kernel kept {} us", kPath, microseconds, effective)};
  return DmaLatency(std::move(device));
}

RtThrottling read_rt_throttling(const std::string& root, const CpuList& cpus) {
  const RtThrottling limit = read_rt_limit(root);
  const std::string release = read_text(root + "/proc/sys/kernel/osrelease").value_or("");
  if (!kernel_has_fair_server(release)) return limit;
  const RtThrottling server = read_fair_server(root + "/sys/kernel/debug/sched/fair_server", cpus);
  const std::optional<bool> heeded = has_rt_group_scheduling(root, release);
  return heeded == false ? server : larger_of(server, limit, heeded.has_value());
}

}  // namespace maxlat::core
