// SPDX-License-Identifier: MIT
// `maxlat trace snapshot`: what the overwriting rings of a running program hold, now. Where a recorder has the session
// already, it is asked; otherwise we are the consumer for a moment.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/trace/recorder.hpp>

#include "control_target.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kSnapshotHelp{
    "maxlat trace snapshot [options] PID|NAME",
    "Writes what the overwriting rings of a session hold, as a trace of its own: DIR/1, DIR/2, ...\n"
    "The program runs on. If `maxlat trace record --flight-recorder` has the session, it is asked to write the\n"
    "snapshot, to its own folder.",
    "  maxlat trace snapshot robot -o DIR              of its only session\n"
    "  maxlat trace snapshot 4711 --session run        of one of several\n"};

core::Result<std::string> session_of(const ListeningProgram& program, const core::CommandLine& line) {
  if (line.has("session")) return line.get<std::string>("session");
  if (program.sessions.size() == 1) return program.sessions.front().substr(0, program.sessions.front().find(' '));
  if (program.sessions.empty()) return core::Error{"the program has no session"};
  return core::Error{"the program has several sessions",
                     fmt::format("--session: {}", fmt::join(program.sessions, ", "))};
}

// Of the recorder that has the session.
core::Result<core::Exit> ask_for_snapshot(trace::ControlConnection& connection, const std::string& session, int memory,
                                          trace::SnapshotBy by) {
  const auto asked = connection.request("snapshot " + session);
  if (!asked) return asked.error();
  if (by == trace::SnapshotBy::nobody)
    return core::Error{
        fmt::format("the recorder of session {} writes no snapshot now", session),
        "it was started without --flight-recorder, or it wrote its last less than --min-interval ago"};
  const auto written = trace::Recorder::await_snapshot(memory);
  if (!written) return written.error();
  if (!*written) return core::Error{fmt::format("the recorder of session {} does not answer", session)};
  fmt::print("session {} has a recorder, which has written a snapshot to its own folder\n", session);
  return core::Exit::pass;
}

}  // namespace

core::Result<core::Exit> trace_snapshot(const core::Arguments& arguments) {
  po::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("DIR")->default_value("maxlat-snapshot"), "where to, if no recorder has the session");
  add("session", core::argument("NAME"), "which session, if there are several");
  add("help,h", "this text");
  const auto parsed = core::parse_or_help(kSnapshotHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (line.operands.size() != 1) return core::Error{"which program? PID or NAME"};
  const auto pid = find_process(line.operands.front());
  if (!pid) return pid.error();
  auto connection = trace::ControlConnection::connect(*pid);
  if (!connection) return connection.error();
  const auto program = ask_program(*connection);
  if (!program) return program.error();
  const auto session = session_of(*program, line);
  if (!session) return session.error();

  auto attached = connection->request("attach " + *session);
  if (!attached) return attached.error();
  const base::Descriptor memory = attached->take_descriptor(0);
  trace::RecorderOptions recorder_options;
  recorder_options.directory = line.get<std::string>("output");
  recorder_options.flight_recorder = recorder_options.snapshots_only = true;
  recorder_options.say = [](const std::string& text) {
    if (text.starts_with("snapshot: "))
      fmt::print("{}\n", text);
    else
      core::tell("maxlat trace snapshot: {}\n", text);
  };
  const auto by = trace::Recorder::snapshot_by(memory.number());
  if (!by) return by.error();
  if (*by != trace::SnapshotBy::whoever) {
    if (line.given("output"))
      return core::Error{fmt::format("-o: session {} has a recorder, which writes to its own folder", *session),
                         "leave out -o to ask that one for a snapshot"};
    return ask_for_snapshot(*connection, *session, memory.number(), *by);
  }
  auto recorder = trace::Recorder::attach(memory.number(), recorder_options);
  if (!recorder) return recorder.error();
  std::error_code error;
  std::filesystem::create_directories(recorder_options.directory, error);
  if (error)
    return core::Error{fmt::format("cannot create the folder {}: {}", recorder_options.directory, error.message())};
  return recorder->snapshot(std::chrono::steady_clock::now().time_since_epoch()) ? core::Exit::pass : core::Exit::error;
}

}  // namespace maxlat::trace_tools
