// SPDX-License-Identifier: MIT
#include "keeper.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/program_options/parsers.hpp>
#include <chrono>
#include <maxlat/core/sys/process.hpp>
#include <utility>

#include "descendants.hpp"

namespace maxlat::loadgen {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 100ms;        // how often the keeper looks whether it is to end
constexpr auto kCountEvery = 500ms;  // how often it takes the CPU time, a walk through /proc
constexpr auto kGrace = 2s;          // from SIGTERM to SIGKILL for the command
constexpr auto kAdoptedLimit = 2s;

// CPU time of the children that were reaped, with all that they had reaped themselves.
double reaped_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Never back: a process that was reaped by nobody takes its time with it.
void publish_cpu_time(WorkerSlot& slot, double seconds) {
  const uint64_t before = slot.work.load(std::memory_order_relaxed);  // relaxed: our own counter
  slot.add(static_cast<uint64_t>(std::max(0.0, seconds * 1e3 - static_cast<double>(before))));
  slot.counted_now();  // the load itself may keep us from a CPU for seconds
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

// False: termination was requested, and the command has been stopped.
core::Result<bool> run_to_end(const CommandLine& command, WorkerSlot& slot) {
  core::ProcessSpec spec;
  spec.argv = command;
  core::Result<core::Child> child = core::Child::start(spec);
  if (!child) return child.error();
  slot.foreign_group.store(child->pid(), std::memory_order_relaxed);  // relaxed: see WorkerSlot
  const double before = reaped_cpu_seconds();
  auto next_count = std::chrono::steady_clock::now() + kCountEvery;
  std::optional<core::ProcessEnd> end;
  while (!end && !termination_requested()) {
    end = child->wait_for(kLook);
    if (const auto now = std::chrono::steady_clock::now(); !end && now >= next_count) {
      publish_cpu_time(slot, before + child->cpu_seconds());
      next_count = now + kCountEvery;
    }
  }
  if (!end) child->stop(kGrace);
  end_all_children(kAdoptedLimit);
  slot.foreign_group.store(0, std::memory_order_relaxed);
  publish_cpu_time(slot, reaped_cpu_seconds());
  if (!end) return false;
  if (!end->succeeded()) {
    const std::string said = last_line(end->standard_error);
    return core::Error{fmt::format("{} {}{}{}", command.front(), end->text(), said.empty() ? "" : ": ", said)};
  }
  return true;
}

core::Result<bool> run_all(const std::vector<CommandLine>& commands, WorkerSlot& slot) {
  for (const CommandLine& command : commands) {
    core::Result<bool> go_on = run_to_end(command, slot);
    if (!go_on || !*go_on) return go_on;
  }
  return true;
}

}  // namespace

core::Status keep_rounds(const Rounds& rounds, WorkerSlot& slot) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  slot.counted_now();
  core::Result<bool> go_on = run_all(rounds.once, slot);
  while (go_on && *go_on) {
    go_on = run_all(rounds.round, slot);
    if (go_on && *go_on) slot.finish_round();
  }
  if (!go_on) return go_on.error();
  return {};
}

LoadPlan plan_with_keeper(std::string_view name, std::string command, const core::CpuList& cpus, Work work) {
  return {
      .command = std::move(command),
      .workers = {{.name = fmt::format("keeper:{}", name), .cpus = cpus, .work = std::move(work), .cleans_up = true}}};
}

core::Result<LoadPlan> plan_of_command(const ForeignCommand& foreign, std::string_view argument,
                                       const core::CpuList& cpus) {
  core::Result<CommandLine> words = split_words(argument);
  if (!words) return words.error();
  CommandLine command = *std::move(words);
  if (!foreign.program.empty()) command.insert(command.begin(), foreign.program);
  if (command.empty()) return core::Error{fmt::format("load {} needs a command", foreign.load), foreign.example};
  if (core::Status found = require_program(command.front(), foreign.package); !found) return found.error();
  return plan_with_keeper(foreign.load, core::quote_command(command), cpus,
                          [command](WorkerSlot& slot) { return keep_rounds({.once = {}, .round = {command}}, slot); });
}

core::Status require_program(const std::string& program, std::string_view package) {
  if (!core::find_program(program).empty()) return {};
  return core::Error{fmt::format("cannot find the program '{}'", program),
                     package.empty()
                         ? "give a path, or a program in PATH"
                         : fmt::format("apt install {}, or use a built-in load (maxlat load --list)", package),
                     core::Exit::cannot_run};
}

// As split_unix() counts them: it takes the end of the text for the end of a quotation.
static bool has_open_quote(std::string_view text) {
  bool open = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '\'' || text[at] == '"')
      open = !open;
  }
  return open;
}

core::Result<CommandLine> split_words(std::string_view text) {
  if (has_open_quote(text))
    return core::Error{fmt::format("cannot split '{}' into words: a quote is open", text),
                       "quotes and backslashes work as in a shell"};
  try {
    CommandLine words = boost::program_options::split_unix(std::string(text));
    std::erase(words, "");
    return words;
  } catch (const std::exception& mistake) {
    return core::Error{fmt::format("cannot split '{}' into words: {}", text, mistake.what()),
                       "quotes and backslashes work as in a shell"};
  }
}

}  // namespace maxlat::loadgen
