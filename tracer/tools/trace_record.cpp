// SPDX-License-Identifier: MIT
// `maxlat trace record`: one loop over everything that can happen, until nothing is left to record.
#include <errno.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/trace/session.hpp>
#include <optional>

#include "command_process.hpp"
#include "control_target.hpp"
#include "recording.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr core::CommandHelp kRecordHelp{
    "maxlat trace record -o DIR [options] (-- CMD ... | -p PID)",
    "Records the events of CMD and of every traced program it starts, or of a program that runs.\n"
    "DIR holds Common Trace Format 1.8. Ends with CMD, after -D, or on SIGINT, which keeps everything.\n"
    "Exit status: 3 events were lost, none matched or a program was not recorded (a line says why), 1 error; else "
    "that\n"
    "of CMD, 128 + N when signal N killed it, and 0 when it was ended by -D or SIGINT.",
    "  maxlat trace record -o DIR -- ./program                                 all of its events\n"
    "  maxlat trace record -o DIR --flight-recorder -e 'motor:*' -p 4711       the latest; SIGUSR1 writes a "
    "snapshot\n"};

po::options_description make_options() {
  po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("output,o", po::value<std::string>()->value_name("DIR"), "where to; made if missing, refused if not empty")
      ("pid,p", po::value<std::string>()->value_name("PID|NAME"), "a program that runs and listens")
      ("duration,D", po::value<std::string>()->value_name("TIME"), "end after this time (a bare number: s); CMD then gets SIGTERM")
      ("event,e", po::value<std::vector<std::string>>()->value_name("PATTERN[,..]"), "PROVIDER:NAME with * and ? (*:*)")
      ("level", po::value<std::string>()->value_name("N"), "events up to this level: 0 emergency ... 7 debug (7)")
      ("session", po::value<std::string>()->value_name("NAME")->default_value("record"), "the session's name")
      ("quiet,q", "say nothing but errors and losses");
  po::options_description delivery("Delivery");
  delivery.add_options()
      ("period", po::value<std::string>()->value_name("TIME")->default_value("1ms"), "of polling")
      ("flush", po::value<std::string>()->value_name("TIME")->default_value("100ms"),
       "take what is in sub-buffers that are not full; 0: never")
      ("flight-recorder", "--mode overwrite; write only snapshots: on SIGUSR1, on request, at the end")
      ("min-interval", po::value<std::string>()->value_name("TIME")->default_value("1s"), "between two snapshots")
      ("post-trigger", po::value<std::string>()->value_name("TIME")->default_value("0s"),
       "write a snapshot that the program asks for so long after that")
      ("help,h", "this text");
  // clang-format on
  options.add(channel_options()).add(delivery);
  return options;
}

core::Result<std::chrono::nanoseconds> duration_of(const core::CommandLine& line, const char* name,
                                                   std::string_view bare_unit = core::kUnitNeeded) {
  const auto span = parse_span(line.get<std::string>(name), bare_unit);
  if (!span) return core::Error{fmt::format("--{}: {}", name, span.error().text), span.error().hint};
  return span;
}

core::Result<RecordingOptions> recording_options(const core::CommandLine& line) {
  RecordingOptions options;
  options.session = line.get<std::string>("session");
  auto channels = recorded_channels(line, options.session);
  if (!channels) return channels.error();
  options.channels = *std::move(channels);
  const bool flight = line.has("flight-recorder");
  // An option that would change nothing is a mistake in what was meant by it.
  for (const char* name : {"min-interval", "post-trigger"}) {
    if (line.given(name) && !flight)
      return core::Error{fmt::format("--{} is of snapshots", name), "give --flight-recorder, too"};
  }
  const auto period = duration_of(line, "period"), interval = duration_of(line, "min-interval");
  const auto post_trigger = duration_of(line, "post-trigger");
  for (const auto* each : {&period, &interval, &post_trigger}) {
    if (!*each) return each->error();
  }
  const auto is_woken = [](const auto& c) { return c.options.delivery == trace::Delivery::wakeup; };
  const bool all_wake = std::all_of(options.channels.begin(), options.channels.end(), is_woken);
  const auto is_flushed = [](const auto& c) { return c.flush.count() != 0; };
  if (line.given("period") && all_wake && std::any_of(options.channels.begin(), options.channels.end(), is_flushed))
    return core::Error{"--period does not go with --deliver wakeup: only --flush is done by time",
                       "leave one of them out, or flush never: --flush 0"};
  if (const core::Status rare = not_too_often(*period); !rare) return core::Error{"--period: " + rare.error().text};
  options.recorder.period = *period;
  for (const RecordedChannel& channel : options.channels)
    options.recorder.flush_of[channel.options.name] = channel.flush;
  options.recorder.flight_recorder = flight;
  options.recorder.snapshot_interval = *interval;
  options.recorder.post_trigger = *post_trigger;
  options.quiet = line.has("quiet");
  options.recorder.say = [quiet = options.quiet](const std::string& text) {
    if (!quiet || !text.starts_with("snapshot: ")) fmt::print(stderr, "maxlat trace record: {}\n", text);
  };
  return options;
}

// SIGUSR1 as a descriptor.
class SnapshotSignal {
 public:
  SnapshotSignal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SnapshotSignal() { close(descriptor_); }
  SnapshotSignal(const SnapshotSignal&) = delete;
  SnapshotSignal& operator=(const SnapshotSignal&) = delete;
  int descriptor() const { return descriptor_; }
  bool came() const {
    signalfd_siginfo info;
    return read(descriptor_, &info, sizeof info) == sizeof info;
  }

 private:
  int descriptor_;
};

struct Sources {
  std::optional<trace::ControlListener> listener;
  std::optional<CommandProcess> command;
  std::optional<Clock::time_point> end;
};

int poll_timeout(const std::optional<Clock::time_point>& end) {
  if (!end) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

// Begins with the program that calls. Where no call can be taken (too many open files) none will be: who waits is let
// go with the socket, and goes on untraced. RETURNS: false: it is not recorded.
bool take_call(Recording& recording, std::optional<trace::ControlListener>& listener) {
  auto caller = listener->accept();
  const core::Status added = caller ? recording.add(std::move(*caller), true) : core::Status(caller.error());
  if (!caller) listener.reset();
  if (!added) fmt::print(stderr, "maxlat trace record: not recorded: {}\n", added.error().text);
  return added.ok();
}

// Until the command and everything that called home have ended, or somebody wants the end. RETURNS: how many programs
// called and are not recorded.
std::size_t record_until_the_end(Recording& recording, Sources& sources, const SnapshotSignal& snapshot_signal) {
  std::size_t refused = 0;
  while (!core::stop_requested() && (!sources.end || Clock::now() < *sources.end)) {
    const bool command_runs = sources.command && !sources.command->ended();
    std::vector<pollfd> processes = recording.watched();
    if (processes.empty() && !command_runs) break;
    std::vector<pollfd> all = {{core::stop_fd(), POLLIN, 0},
                               {snapshot_signal.descriptor(), POLLIN, 0},
                               {sources.listener ? sources.listener->socket() : -1, POLLIN, 0},
                               {command_runs ? sources.command->pidfd() : -1, POLLIN, 0}};
    const auto mine = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), processes.begin(), processes.end());
    if (poll(all.data(), all.size(), poll_timeout(sources.end)) < 0) continue;
    if (snapshot_signal.came()) recording.request_snapshot();
    recording.end_those_gone({all.begin() + mine, all.end()});
    if (all[2].revents != 0 && !take_call(recording, sources.listener)) ++refused;
  }
  return refused;
}

// A folder that was made for a recording that came to nothing goes again.
class RecordingFolder {
 public:
  RecordingFolder() = default;
  RecordingFolder(const RecordingFolder&) = delete;
  RecordingFolder& operator=(const RecordingFolder&) = delete;
  ~RecordingFolder() {
    if (made_) rmdir(path_.c_str());  // refused unless it is empty
  }
  core::Status prepare(const std::string& directory);

 private:
  std::string path_;
  bool made_ = false;
};

core::Status RecordingFolder::prepare(const std::string& directory) {
  std::error_code error;
  path_ = directory;
  made_ = std::filesystem::create_directories(directory, error);
  if (error) return core::Error{fmt::format("cannot create the folder {}: {}", directory, error.message())};
  const bool empty = std::filesystem::is_empty(directory, error);
  if (error) return core::Error{fmt::format("cannot look into {}: {}", directory, error.message())};
  if (empty) return {};
  return core::Error{directory + " is not empty", "a recording has a folder of its own: name another with -o"};
}

// The command did not end by itself: it is asked to, and not waited for longer than a moment.
void end_command(CommandProcess& command) {
  if (command.ended()) return;
  kill(command.pid(), SIGTERM);
  pollfd end{command.pidfd(), POLLIN, 0};
  poll(&end, 1, 2000);
  if (!command.ended()) fmt::print(stderr, "maxlat trace record: process {} goes on, untraced\n", command.pid());
}

}  // namespace

core::Result<core::Exit> trace_record(const core::Arguments& arguments) {
  const po::options_description options = make_options();
  const auto parsed = core::parse_or_help(kRecordHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (!line.has("output"))
    return core::Error{"-o is missing", "where shall the trace go? maxlat trace record -o DIR -- CMD"};
  if (line.has("pid") != line.operands.empty())
    return core::Error{"either a command after -- or -p PID, not both and not none"};
  auto recording_wanted = recording_options(line);
  if (!recording_wanted) return recording_wanted.error();
  Sources sources;
  if (line.has("duration")) {
    const auto duration = duration_of(line, "duration", "s");
    if (!duration) return duration.error();
    if (duration->count() == 0)
      return core::Error{"--duration: must be above 0", "leave it out to record until the end"};
    sources.end = Clock::now() + *duration;
  }
  std::optional<int> target;
  if (line.has("pid")) {
    const auto found = find_process(line.get<std::string>("pid"));
    if (!found) return found.error();
    target = *found;
  }
  const std::string directory = line.get<std::string>("output");
  RecordingFolder folder;
  const core::Status prepared = folder.prepare(directory);
  if (!prepared) return prepared.error();
  recording_wanted->recorder.directory = directory;

  signal(SIGXFSZ, SIG_IGN);  // a file too large is an error of write()
  core::catch_stop_signals();
  const SnapshotSignal snapshot_signal;
  Recording recording(std::move(*recording_wanted));
  if (target) {
    auto connection = trace::ControlConnection::connect(*target);
    if (!connection) return connection.error();
    const core::Status added = recording.add(std::move(*connection), false);
    if (!added) return added.error();
  } else {
    auto listener = trace::ControlListener::create();
    if (!listener) return listener.error();
    sources.listener.emplace(std::move(*listener));
    auto command =
        CommandProcess::start(line.operands, {trace::kControlVariable, "connect:" + sources.listener->path()});
    if (!command) return command.error();
    sources.command.emplace(std::move(*command));
  }
  const std::size_t refused = record_until_the_end(recording, sources, snapshot_signal);
  const bool ended_by_itself = sources.command && sources.command->ended() && !core::stop_requested();
  recording.end_all();
  if (sources.command) {
    end_command(*sources.command);
    if (sources.command->failure()) {
      fmt::print(stderr, "maxlat trace record: {} {}\n", line.operands.front(), *sources.command->failure());
    }
  }
  if (recording.processes_seen() == 0 && refused > 0)
    return core::Error{"nothing was recorded, though a program called", "", core::Exit::invalid};
  if (recording.processes_seen() == 0) {
    return core::Error{"nothing was recorded: no program with maxlat events called",
                       "is " + (line.operands.empty() ? "it" : line.operands.front()) + " linked with maxlat's tracer?",
                       core::Exit::invalid};
  }
  const core::Exit exit = recording.report();
  if (refused > 0 || exit != core::Exit::pass) return core::Exit::invalid;
  return ended_by_itself ? core::Exit{sources.command->exit_status()} : core::Exit::pass;
}

}  // namespace maxlat::trace_tools
