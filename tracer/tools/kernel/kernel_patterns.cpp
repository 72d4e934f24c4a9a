// SPDX-License-Identifier: MIT
#include "kernel_patterns.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/attribution/event_format.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <span>
#include <string_view>

#include "kernel_events/wanted_events.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::string_view kEventsOfOurModule = "machine";  // no kernel has such a subsystem

}  // namespace

core::Result<SplitPatterns> split_patterns(const std::vector<std::string>& patterns, const std::string& root) {
  const std::string tracefs = core::find_tracefs(root);
  if (tracefs.empty()) return core::cannot_run(core::why_no_tracefs(root));
  const std::string events = tracefs + "/events";
  SplitPatterns split;
  for (const std::string& pattern : patterns) {
    const std::string provider = pattern.substr(0, pattern.find(':'));
    const bool has_events = is_function_pattern(pattern) || provider == kEventsOfOurModule ||
                            (provider != "*" && !attribution::matching_events(events, std::span(&pattern, 1)).empty());
    const bool is_subsystem = !provider.empty() && provider.find_first_of("*?/.") == provider.npos &&
                              pattern.size() != provider.size() &&
                              ::access((events + "/" + provider).c_str(), F_OK) == 0;
    if (!has_events && is_subsystem)
      return core::Error{fmt::format("this kernel has no event \"{}\"", pattern),
                         fmt::format("ls {}/{} lists those that it has", events, provider)};
    (has_events ? split.kernel : split.programs).push_back(pattern);
  }
  return split;
}

const std::vector<std::string>& default_kernel_patterns() {
  static const std::vector<std::string> patterns = {
      "sched:sched_switch",
      "sched:sched_waking",
      "sched:sched_wakeup*",
      "sched:sched_migrate_task",
      "sched:sched_process_fork",
      "sched:sched_process_exec",
      "sched:sched_process_exit",
      "sched:sched_process_free",
      "sched:sched_pi_setprio",
      "task:task_rename",
      "irq:irq_handler_*",
      "irq:softirq_entry",
      "irq:softirq_exit",
      "irq_vectors:*_entry",
      "irq_vectors:*_exit",
      "timer:hrtimer_expire_*",
      "timer:timer_expire_*",
      "workqueue:workqueue_execute_*",
      "exceptions:page_fault_*",
      "nmi:nmi_handler",
      "ipi:ipi_send_*",
      "machine:machine_counts",
  };
  return patterns;
}

}  // namespace maxlat::trace_tools
