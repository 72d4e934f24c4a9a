// SPDX-License-Identifier: MIT
#include "recorded_programs.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <utility>
#include <vector>

namespace maxlat::trace_tools {
namespace {

// Of the kernel and of all programs; where there are programs, their recorders ask the kernel's (on_snapshot).
void request_snapshot(Recording& recording, KernelRecording* kernel) {
  const bool nobody_else = recording.watched().empty();
  recording.request_snapshot();
  if (kernel != nullptr && nobody_else) kernel->request_snapshot("");
}

}  // namespace

core::Result<RecordedPrograms> RecordedPrograms::start(const RecordPlan& plan, Recording& recording) {
  RecordedPrograms programs;
  if (plan.duration) programs.end_ = Clock::now() + *plan.duration;
  if (plan.program) {
    auto connection = trace::ControlConnection::connect(*plan.program);
    if (!connection) return connection.error();
    if (const core::Status added = recording.add(std::move(*connection), false); !added) return added.error();
    return programs;
  }
  programs.until_stopped_ = plan.command.empty();
  if (plan.command.empty()) return programs;
  std::pair<std::string, std::string> variable;
  if (plan.of_programs) {
    auto listener = trace::ControlListener::create();
    if (!listener) return listener.error();
    programs.listener_.emplace(std::move(*listener));
    variable = {trace::kControlVariable, "connect:" + programs.listener_->path()};
  }
  auto command = CommandProcess::start(plan.command, variable);
  if (!command) return command.error();
  programs.command_.emplace(std::move(*command));
  programs.command_name_ = plan.command.front();
  return programs;
}

int RecordedPrograms::poll_timeout() const {
  if (!end_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

// Begins with the program that calls. Where no call can be taken (too many open files) none will be: who waits is let
// go with the socket, and goes on untraced. RETURNS: false: it is not recorded.
bool RecordedPrograms::take_call(Recording& recording) {
  auto caller = listener_->accept();
  const core::Status added = caller ? recording.add(std::move(*caller), true) : core::Status(caller.error());
  if (!caller) listener_.reset();
  if (!added) core::tell("maxlat trace record: not recorded: {}\n", added.error().text);
  return added.ok();
}

std::size_t RecordedPrograms::take_calls(Recording& recording, const core::SignalDescriptor& snapshot_signal,
                                         KernelRecording* kernel) {
  std::size_t refused = 0;
  while (!core::stop_requested() && !is_time_over()) {
    const bool command_runs = command_ && !command_->ended();
    std::vector<pollfd> processes = recording.watched();
    if (processes.empty() && !command_runs && !until_stopped_) break;
    std::vector<pollfd> all = {{core::stop_fd(), POLLIN, 0},
                               {snapshot_signal.descriptor(), POLLIN, 0},
                               {listener_ ? listener_->socket() : -1, POLLIN, 0},
                               {command_runs ? command_->pidfd() : -1, POLLIN, 0}};
    const auto mine = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), processes.begin(), processes.end());
    if (poll(all.data(), all.size(), poll_timeout()) < 0) continue;
    if (snapshot_signal.came()) request_snapshot(recording, kernel);
    recording.end_those_gone({all.begin() + mine, all.end()});
    if (all[2].revents != 0 && !take_call(recording)) ++refused;
  }
  return refused;
}

EndOfPrograms RecordedPrograms::record_until_the_end(Recording& recording, const core::SignalDescriptor& snapshot_signal,
                                                     KernelRecording* kernel) {
  EndOfPrograms end{.refused = take_calls(recording, snapshot_signal, kernel), .exit_status = {}};
  const bool ended_by_itself = command_ && command_->ended() && !core::stop_requested();
  recording.end_all();
  if (!command_) return end;
  if (!command_->end()) core::tell("maxlat trace record: process {} goes on, untraced\n", command_->pid());
  if (command_->failure()) core::tell("maxlat trace record: {} {}\n", command_name_, *command_->failure());
  if (ended_by_itself) end.exit_status = command_->exit_status();
  return end;
}

}  // namespace maxlat::trace_tools
