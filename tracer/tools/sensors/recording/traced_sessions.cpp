// SPDX-License-Identifier: MIT
#include "sensors/recording/traced_sessions.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/tell.hpp>

namespace maxlat::trace_tools {
namespace {

constexpr const char* kCommand = "maxlat sensors record";

// Of a session that is missing: the channel that `maxlat trace record` makes when nothing is said of it.
RecordingOptions options_of(const std::string& directory, const std::string& session, bool quiet) {
  RecordingOptions options;
  options.session = session;
  options.channels.emplace_back();
  options.recorder.directory = directory;
  options.quiet = quiet;
  options.command = kCommand;
  options.recorder.say = [](const std::string& text) { core::tell("{}: {}\n", kCommand, text); };
  return options;
}

}  // namespace

TracedSessions::TracedSessions(const std::string& directory, const std::string& session, bool quiet)
    : recording_(options_of(directory, session, quiet)), session_(session) {}

core::Result<std::pair<std::string, std::string>> TracedSessions::await_calls() {
  auto listener = trace::ControlListener::create();
  if (!listener) return listener.error();
  listener_.emplace(*std::move(listener));
  return std::pair<std::string, std::string>(trace::kControlVariable, "connect:" + listener_->path());
}

void TracedSessions::add(trace::ControlConnection connection, bool waits) {
  const core::Status added = recording_.add(std::move(connection), waits);
  if (added) return;
  refused_ = true;
  core::tell("{}: not recorded: {}\n", kCommand, added.error().text);
}

void TracedSessions::look(const ChosenSensors& chosen) {
  if (listener_) return;  // then programs come by themselves
  for (const ChosenSensor& sensor : chosen.sensors) {
    if (sensor.group->is_common()) continue;
    const int pid = sensor.group->pid();
    const auto [program, is_new] = programs_.try_emplace({pid, sensor.group->pid_start_time()}, "is new");
    if (program->second.empty()) continue;
    auto connection = trace::ControlConnection::connect(pid);
    program->second = connection ? "" : connection.error().text;
    if (connection) add(*std::move(connection), false);
  }
}

std::vector<pollfd> TracedSessions::watched() const {
  std::vector<pollfd> all = recording_.watched();
  all.push_back({listener_ ? listener_->socket() : -1, POLLIN, 0});
  return all;
}

void TracedSessions::take(const std::vector<pollfd>& watched) {
  recording_.end_those_gone({watched.begin(), watched.end() - 1});
  if (watched.back().revents == 0) return;
  auto caller = listener_->accept();
  if (caller) return add(*std::move(caller), true);
  // Nor will any other call be taken (too many open files). Who waits goes on with the socket's end.
  core::tell("{}: not recorded: {}\n", kCommand, caller.error().text);
  refused_ = true;
  listener_.reset();
}

void TracedSessions::end() {
  recording_.end_all();
  listener_.reset();
}

bool TracedSessions::report() const {
  for (const auto& [program, why] : programs_)
    if (!why.empty())
      core::tell("{}: of process {} its sensors alone were recorded: {}\n", kCommand, program.first, why);
  if (!any()) {
    core::tell("{}: no program has a session \"{}\", or lets one be made\n", kCommand, session_);
    return false;
  }
  return recording_.report() == core::Exit::pass && !refused_;
}

}  // namespace maxlat::trace_tools
