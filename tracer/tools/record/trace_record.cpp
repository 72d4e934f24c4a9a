// SPDX-License-Identifier: MIT
//
// `maxlat trace record`: the options once into a plan (record_plan.hpp), the recording (recorded_programs.hpp,
// recording.hpp), and its exit status.
#include <fmt/format.h>
#include <signal.h>

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/signal_descriptor.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <memory>
#include <utility>

#include "kernel/kernel_options.hpp"
#include "record_plan.hpp"
#include "recorded_programs.hpp"
#include "recording_folder.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kRecordHelp{
    "maxlat trace record -o DIR [options] (-- CMD ... | -p PID | --kernel)",
    "Records the events of CMD and of every traced program it starts, or of a program that runs; and the kernel's.\n"
    "DIR holds Common Trace Format 1.8. Ends with CMD, after -D, or on SIGINT, which keeps everything.\n"
    "Exit status: 3 events were lost, none matched, a program was not recorded or did not stop (a line says why),\n"
    "1 error; else that of CMD, 128 + N when signal N killed it, and 0 when it was ended by -D or SIGINT.",
    "  maxlat trace record -o DIR -- ./program                            all of its events\n"
    "  maxlat trace record -o DIR --flight-recorder -e 'motor:*' -p 4711  the latest; SIGUSR1 writes a snapshot\n"
    "  maxlat trace record -o DIR --kernel -e 'sched:*,irq:*' -D 10s      the kernel's, for ten seconds\n"};

po::options_description make_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("DIR"), "where to; made if missing, refused if not empty");
  add("pid,p", core::argument("PID|NAME"), "a program that runs and listens");
  add("duration,D", core::argument("TIME"), "end after this time (a bare number: s); CMD then gets SIGTERM");
  add("event,e", core::argument<std::vector<std::string>>("PATTERN[,..]"), "PROVIDER:NAME with * and ? (*:*)");
  add("level", core::argument("N"), "events up to this level: 0 emergency ... 7 debug (7)");
  add("session", core::argument("NAME")->default_value("record"), "the session's name");
  add("quiet,q", "say nothing but errors and losses");

  po::options_description delivery("Delivery");
  add = delivery.add_options();
  add("period", core::argument("TIME")->default_value("1ms"), "of polling; 0: without a rest");
  add("flush", core::argument("TIME")->default_value("100ms"),
      "take what is in sub-buffers that are not full; 0: never");
  add("flight-recorder", "--mode overwrite; write only snapshots: on SIGUSR1, on request, at the end");
  add("min-interval", core::argument("TIME")->default_value("1s"), "between two snapshots");
  add("post-trigger", core::argument("TIME")->default_value("0s"),
      "write a snapshot that the program asks for so long after that");
  add("help,h", "this text");
  options.add(channel_options()).add(kernel_options()).add(delivery);
  return options;
}

core::Result<core::Exit> exit_of(const RecordPlan& plan, const Recording& recording, const EndOfPrograms& end) {
  if (plan.kernel) {
    const core::Exit exit = recording.report();
    const bool nobody = plan.names_programs && recording.processes_seen() == 0;
    if (nobody)
      core::tell("maxlat trace record: no program with maxlat's tracer was seen, though -e names events of one\n");
    if (nobody || end.refused > 0 || exit != core::Exit::pass) return core::Exit::invalid;
    return end.exit_status ? core::Exit{*end.exit_status} : core::Exit::pass;
  }
  if (recording.processes_seen() == 0 && end.refused > 0)
    return core::Error{"nothing was recorded, though a program asked to be", "", core::Exit::invalid};
  if (recording.processes_seen() == 0) {
    return core::Error{"nothing was recorded: no program with maxlat's tracer was seen",
                       plan.command.empty() ? "is it linked with the tracer?"
                                            : "is " + plan.command.front() + ", or what it starts, linked with the tracer?",
                       core::Exit::invalid};
  }
  const core::Exit exit = recording.report();
  if (end.refused > 0 || exit != core::Exit::pass) return core::Exit::invalid;
  return end.exit_status ? core::Exit{*end.exit_status} : core::Exit::pass;
}

}  // namespace

core::Result<core::Exit> trace_record(const core::Arguments& arguments) {
  const auto line = core::parse_or_help(kRecordHelp, make_options(), arguments);
  if (!line) return line.error();
  if (!*line) return core::Exit::pass;
  const auto plan = make_record_plan(**line);
  if (!plan) return plan.error();
  RecordingFolder folder;
  if (const core::Status prepared = folder.prepare(plan->directory()); !prepared) return prepared.error();

  signal(SIGXFSZ, SIG_IGN);  // a file too large is an error of write()
  core::catch_stop_signals();
  const core::SignalDescriptor snapshot_signal(SIGUSR1);  // before the recording, whose thread is not to get it
  std::unique_ptr<KernelRecording> kernel;  // first, so that it has what the programs do from their beginning on
  if (plan->kernel) {
    auto started = start_kernel_recording(*plan->kernel);
    if (!started) return started.error();
    kernel = *std::move(started);
  }
  RecordingOptions of_programs = plan->recording;
  if (kernel)
    of_programs.recorder.on_snapshot = [&kernel](const std::string& folder) { kernel->request_snapshot(folder); };
  Recording recording(std::move(of_programs));
  auto programs = RecordedPrograms::start(*plan, recording);
  if (!programs) {
    kernel.reset();  // it writes
    return programs.error();
  }
  folder.is_used();
  const EndOfPrograms end = programs->record_until_the_end(recording, snapshot_signal, kernel.get());
  if (kernel) recording.add_kernel(kernel->backend(), kernel->finish());
  return exit_of(*plan, recording, end);
}

}  // namespace maxlat::trace_tools
