// SPDX-License-Identifier: MIT
#include "kernel_events.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <maxlat/core/sys/text_file.hpp>
#include <string_view>

namespace maxlat::shield {
namespace {

constexpr std::string_view kPrefix = "maxlat-audit-";

// `about` is the field that says which CPU an event is about; empty: the CPUs stand in a mask that only Linux 6.6 and
// later can filter, and the reader picks. `tells` is what is not known without it; empty: it goes without saying.
struct Event {
  std::string_view name, about, also, tells;
};
constexpr Event kEvents[] = {
    {"sched/sched_switch", "CPU", "", "which tasks ran"},
    {"sched/sched_waking", "target_cpu", "", "who woke a task"},
    {"workqueue/workqueue_execute_start", "CPU", "", "which work items ran"},
    {"timer/hrtimer_expire_entry", "CPU", "", "functions of high-resolution timers"},
    {"timer/timer_expire_entry", "CPU", "", "functions of timers"},
    {"exceptions/page_fault_user", "CPU", "", "page faults"},
    {"exceptions/page_fault_kernel", "CPU", "", ""},
    {"ipi/ipi_send_cpu", "cpu", "", "who sent an interrupt (Linux 6.4 and later)"},
    {"ipi/ipi_send_cpumask", "", "", ""},
};

// "(CPU == 1 || (CPU >= 4 && CPU <= 7))"
std::string filter_of(const Event& event, const core::CpuList& cpus) {
  std::string filter;
  for (size_t first = 0; first < cpus.size();) {
    size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!filter.empty()) filter += " || ";
    filter += first == last ? fmt::format("{} == {}", event.about, cpus[first])
                            : fmt::format("({0} >= {1} && {0} <= {2})", event.about, cpus[first], cpus[last]);
    first = last + 1;
  }
  return fmt::format("({}){}", filter, event.also);
}

}  // namespace

core::Result<KernelEvents> KernelEvents::prepare(const std::string& root, const core::CpuList& cpus) {
  const auto tracefs = core::open_tracefs(root);
  if (!tracefs) return tracefs.error();
  core::remove_instances_of_the_dead(*tracefs, kPrefix);
  auto instance = core::TraceInstance::make(*tracefs, fmt::format("{}{}", kPrefix, ::getpid()));
  if (!instance) return instance.error();
  KernelEvents events(*std::move(instance));
  if (const core::Status off = events.record(false); !off) return off.error();
  for (const Event& event : kEvents) {
    const std::string folder = fmt::format("events/{}/", event.name);
    if (!core::read_file(events.instance_.path() + "/" + folder + "enable")) {
      if (!event.tells.empty()) events.unknown_.emplace_back(event.tells);
      continue;
    }
    core::Status set;
    if (!event.about.empty()) set = events.instance_.set(folder + "filter", filter_of(event, cpus));
    if (set) set = events.instance_.set(folder + "enable", "1");
    if (!set) return set.error();
  }
  return events;
}

core::Status KernelEvents::record(bool on) {
  return instance_.set("tracing_on", on ? "1" : "0");
}

core::Status KernelEvents::read(TraceNames& names, uint64_t& lost) const {
  std::ifstream trace(instance_.path() + "/trace");
  if (!trace) return core::Error{"cannot read " + instance_.path() + "/trace"};
  for (std::string line; std::getline(trace, line);)
    if (const auto event = parse_trace_line(line)) names.add(*event);
  lost = instance_.counts().lost();
  return {};
}

}  // namespace maxlat::shield
