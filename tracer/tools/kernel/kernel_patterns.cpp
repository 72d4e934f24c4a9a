// SPDX-License-Identifier: MIT
#include "kernel_patterns.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/attribution/event_format.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <maxlat/trace/kernel/kernel_events.hpp>
#include <span>
#include <string_view>

#include "kernel_events/wanted_events.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::string_view kEventsOfOurModule = "machine";  // no kernel has such a subsystem

// Of a pattern that our module's own table does not match. ERRORS: nobody tells (no tracefs), or the pattern's
// subsystem has no such event.
core::Result<bool> is_this_kernels(const std::string& pattern, const std::string& provider, const std::string& root) {
  const core::Result<std::string> tracefs = core::open_tracefs(root);
  if (!tracefs) return tracefs.error();
  const std::string events = *tracefs + "/events";
  if (!attribution::matching_events(events, std::span(&pattern, 1)).empty()) return true;
  const bool is_subsystem = !provider.empty() && provider.find_first_of("*?/.") == provider.npos &&
                            ::access((events + "/" + provider).c_str(), F_OK) == 0;
  if (!is_subsystem) return false;
  return core::Error{fmt::format("this kernel has no event \"{}\"", pattern),
                     fmt::format("ls {}/events/{} lists those that it has, where tracefs is mounted",
                                 core::kTracefsPlaces[0], provider)};
}

}  // namespace

core::Result<SplitPatterns> split_patterns(const std::vector<std::string>& patterns, const std::string& root) {
  SplitPatterns split;
  for (const std::string& pattern : patterns) {
    const std::string provider = pattern.substr(0, pattern.find(':'));
    const bool of_programs = pattern.size() == provider.size() || provider == "*";
    const bool is_known = is_function_pattern(pattern) || provider == kEventsOfOurModule ||
                          (!of_programs && trace::kernel_events_matching(pattern) != 0);
    core::Result<bool> has_events = is_known;
    if (!of_programs && !is_known) has_events = is_this_kernels(pattern, provider, root);
    if (!has_events) return has_events.error();
    (*has_events ? split.kernel : split.programs).push_back(pattern);
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
