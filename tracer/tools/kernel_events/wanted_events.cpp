// SPDX-License-Identifier: MIT
#include "wanted_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/attribution/kernel_symbols.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "kernel_types.hpp"
#include "left_out.hpp"

namespace maxlat::trace_tools {
namespace {

using trace::KernelRawEvent;

bool is_in_table(const std::string& name) {
  const auto types = trace::kernel_event_types();
  return std::any_of(types.begin(), types.end(), [&](const trace::KernelEventType& type) { return type.name == name; });
}

class Choice {
 public:
  Choice(std::uint64_t known, std::string root) : known_(known), root_(std::move(root)) {}

  core::Status add(const std::string& pattern);
  WantedKernelEvents take() { return std::move(wanted_); }

 private:
  core::Status add_function(const std::string& pattern);
  core::Status add_tracepoint(const std::string& name);  // "block/block_rq_issue"
  core::Status be_content_with(std::uint64_t of_table, const std::string& pattern, const core::Error& no_tracefs);
  core::Status look_for_types();
  bool has(const KernelRawEvent& event) const {
    const auto same = [&](const KernelRawEvent& other) { return other.kind == event.kind && other.name == event.name; };
    return std::any_of(wanted_.raw.begin(), wanted_.raw.end(), same);
  }

  const std::uint64_t known_;
  const std::string root_;
  std::optional<core::Result<KernelTypes>> types_;
  WantedKernelEvents wanted_;
};

core::Status Choice::look_for_types() {
  if (!types_) types_.emplace(KernelTypes::open(root_));
  if (!*types_) return types_->error();
  return {};
}

core::Status Choice::add_function(const std::string& pattern) {
  const std::string symbol = pattern.substr(std::string_view(kFunctionGroup).size() + 1);
  if (symbol.empty() || symbol.find_first_of("*?") != symbol.npos)
    return core::Error{fmt::format("-e \"{}\": a function is named by its whole symbol", pattern),
                       "/proc/kallsyms has them: -e 'kprobe:do_nanosleep'"};
  KernelRawEvent event{KernelRawEvent::Kind::function, kFunctionGroup, symbol};
  if (has(event)) return {};
  std::ifstream kallsyms(root_ + "/proc/kallsyms");
  const std::optional<std::size_t> found = attribution::count_functions(kallsyms, symbol);
  if (found == 0)
    return core::Error{fmt::format("this kernel has no function \"{}\"", symbol),
                       "/proc/kallsyms has them; one that the compiler put into its callers is in none"};
  if (found && *found > 1)
    wanted_.notes.push_back(
        fmt::format("\"{}\": this kernel has {} functions of that name, and one of them is recorded", pattern, *found));
  if (look_for_types())
    event.arguments = (*types_)->of_function(symbol);
  else
    for (int i = 0; i < MAXLAT_TRACE_FUNCTION_ARGUMENTS; ++i) event.arguments.push_back({fmt::format("a{}", i)});
  wanted_.raw.push_back(std::move(event));
  return {};
}

core::Status Choice::add_tracepoint(const std::string& name) {
  const std::size_t slash = name.find('/');
  KernelRawEvent event{KernelRawEvent::Kind::tracepoint, name.substr(0, slash), name.substr(slash + 1)};
  if (has(event)) return {};
  if (event.group == "syscalls")
    return core::cannot_run(fmt::format("\"{}\" is no tracepoint of its own", name),
                            "system calls are raw_syscalls:sys_enter and raw_syscalls:sys_exit");
  if (const core::Status types = look_for_types(); !types) return types;
  auto arguments = (*types_)->of_tracepoint(event.name);
  if (!arguments) return arguments.error();
  event.arguments = *std::move(arguments);
  wanted_.raw.push_back(std::move(event));
  return {};
}

// Tracefs alone tells which tracepoints the kernel has besides those of the module's own table.
core::Status Choice::be_content_with(std::uint64_t of_table, const std::string& pattern,
                                     const core::Error& no_tracefs) {
  if (of_table == 0) return no_tracefs;
  if (pattern.find_first_of("*?") != pattern.npos)
    wanted_.notes.push_back(
        fmt::format("\"{}\": what the module's table has of it; what else this kernel has is not known: {}", pattern,
                    no_tracefs.text));
  return {};
}

core::Status Choice::add(const std::string& pattern) {
  if (is_function_pattern(pattern)) return add_function(pattern);
  const std::uint64_t of_table = trace::kernel_events_matching(pattern) & known_;
  wanted_.table |= of_table;
  const core::Result<std::string> tracefs = core::open_tracefs(root_);
  if (!tracefs) return be_content_with(of_table, pattern, tracefs.error());
  std::size_t raw = 0;
  LeftOut left_out;
  core::Error why = core::cannot_run(fmt::format("the kernel tracer's module has no event \"{}\"", pattern));
  for (const std::string& name : attribution::matching_events(*tracefs + "/events", std::span(&pattern, 1))) {
    if (is_in_table(name.substr(name.find('/') + 1))) continue;
    const core::Status added = add_tracepoint(name);
    if (added) {
      ++raw;
      continue;
    }
    if (left_out.count() == 0) why = added.error();
    left_out.add(name.substr(name.find('/') + 1), added.error().text);
  }
  if (of_table == 0 && raw == 0) return why;
  if (left_out.count() > 0)
    wanted_.left_out += fmt::format("{}{} of \"{}\" ({})", wanted_.left_out.empty() ? "" : "; ", left_out.count(),
                                    pattern, left_out.text());
  return {};
}

}  // namespace

bool is_function_pattern(const std::string& pattern) {
  return pattern.starts_with(std::string(kFunctionGroup) + ":");
}

core::Result<WantedKernelEvents> wanted_kernel_events(const std::vector<std::string>& patterns, std::uint64_t known,
                                                      const std::string& root) {
  Choice choice(known, root);
  for (const std::string& pattern : patterns)
    if (const core::Status added = choice.add(pattern); !added) return added.error();
  return choice.take();
}

}  // namespace maxlat::trace_tools
