// SPDX-License-Identifier: MIT
#include "sender_probes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <sstream>

namespace maxlat::attribution {
namespace {

constexpr std::string_view kGroupPrefix = "maxlat_senders_";

struct Probe {
  const char *name, *function, *fields;
};

// %di has the first argument, and on top of the stack is where the function returns to, so who called it.
constexpr Probe kProbes[] = {
    {"reschedule", "native_smp_send_reschedule", "target=%di:u32 caller=$stack0:x64"},
    {"call_one", "native_send_call_func_single_ipi", "target=%di:u32 caller=$stack0:x64"},
    {"call_many", "native_send_call_func_ipi", "targets=+0(%di):x64 caller=$stack0:x64"}};

// Where probes could be set and nobody would come by, or with a record that does not tell the context. "": they work.
std::string why_they_would_be_wrong(const std::string& root, const std::string& tracefs) {
  const auto word_in = [&](const char* path) {
    const std::string text = core::read_file(root + path).value_or("");
    return text.substr(0, text.find('\n'));
  };
  if (word_in("/sys/hypervisor/type") == "xen") return "under Xen other functions send them";
  // Without it a kprobe is a breakpoint, in whose handler every context looks like an NMI.
  if (::access((tracefs + "/available_filter_functions").c_str(), F_OK) != 0) return "kprobes by ftrace are needed";
  if (word_in("/proc/sys/kernel/ftrace_enabled") == "0") return "ftrace is switched off (kernel.ftrace_enabled)";
  return "";
}

void remove(const std::string& file, std::string_view event) {
  (void)core::write_tracefs(file, fmt::format("-:{}", event), core::TracefsWrite::add);
}

// "p:maxlat_senders_1234/reschedule native_smp_send_reschedule ..."
void remove_those_of_the_dead(const std::string& file) {
  std::istringstream lines(core::read_file(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::string_view event = std::string_view(line).substr(0, line.find(' '));
    const size_t group = event.find(':') + 1, slash = event.find('/');
    if (group == 0 || slash == std::string_view::npos || slash < group) continue;
    if (core::is_of_the_dead(event.substr(group, slash - group), kGroupPrefix)) remove(file, event.substr(group));
  }
}

}  // namespace

core::Result<SenderProbes> SenderProbes::make(const std::string& root, const std::string& tracefs) {
  const std::string file = tracefs + "/kprobe_events";
  if (::access(file.c_str(), F_OK) != 0) return core::cannot_run("this kernel has no kprobe_events");
  if (const std::string why = why_they_would_be_wrong(root, tracefs); !why.empty()) return core::cannot_run(why);
  remove_those_of_the_dead(file);
  SenderProbes probes(file, fmt::format("{}{}", kGroupPrefix, ::getpid()));
  for (const Probe& probe : kProbes) {
    std::string event = fmt::format("{}/{}", probes.group_, probe.name);
    const std::string line = fmt::format("p:{} {} {}", event, probe.function, probe.fields);
    if (core::Status made = core::write_tracefs(file, line, core::TracefsWrite::add); !made) return made.error();
    probes.made_.push_back(std::move(event));
  }
  return probes;
}

SenderProbes::~SenderProbes() {
  for (const std::string& event : made_) remove(file_, event);
}

}  // namespace maxlat::attribution
