// SPDX-License-Identifier: MIT
// `maxlat trace record`: one loop over everything that can happen, until nothing is left to record.
#include <errno.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <maxlat/core/cli_kit.hpp>
#include <maxlat/core/duration.hpp>
#include <maxlat/core/stop.hpp>
#include <maxlat/trace/session.hpp>
#include <optional>

#include "command_process.hpp"
#include "control_target.hpp"
#include "read_filter.hpp"
#include "recording.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr auto kLastLevel = static_cast<unsigned>(trace::Level::debug);

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

core::Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::size_t end = 0;
  std::uint64_t number = 0;
  if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front()))) {
    number = std::strtoull(text.c_str(), nullptr, 10);
    end = text.find_first_not_of("0123456789");
  }
  const std::string unit = end == std::string::npos ? "" : text.substr(end);
  const unsigned shift = unit == "k" || unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (end == 0 || (shift == 0 && !unit.empty()) || number > UINT64_MAX >> 31) {
    return core::Error{fmt::format("not a size: \"{}\"", text), "a number of bytes, or with k or M: 64k or 1M"};
  }
  return number << shift;
}

po::options_description make_options() {
  po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("output,o", po::value<std::string>()->value_name("DIR"), "where to; made if missing, refused if not empty")
      ("pid,p", po::value<std::string>()->value_name("PID|NAME"), "a program that runs and listens")
      ("duration,D", po::value<std::string>()->value_name("TIME"), "end after this time; CMD then gets SIGTERM")
      ("event,e", po::value<std::vector<std::string>>()->value_name("PATTERN[,..]"), "PROVIDER:NAME with * and ? (*:*)")
      ("level", po::value<unsigned>()->value_name("N"), "events up to this level: 0 emergency ... 7 debug (7)")
      ("session", po::value<std::string>()->value_name("NAME")->default_value("record"), "the session's name")
      ("quiet,q", "say nothing but errors and losses");
  po::options_description channel("Buffers");
  channel.add_options()
      ("size", po::value<std::string>()->value_name("BYTES")->default_value("1M"), "of a sub-buffer, a power of two")
      ("count", po::value<unsigned>()->value_name("N")->default_value(4), "sub-buffers of a ring, a power of two")
      ("per", po::value<std::string>()->value_name("thread|cpu")->default_value("thread"), "who has a ring")
      ("slots", po::value<unsigned>()->value_name("N"), "rings of threads at one time (64)")
      ("mode", po::value<std::string>()->value_name("discard|overwrite"), "what a full ring does (discard)")
      ("deliver", po::value<std::string>()->value_name("timer|wakeup")->default_value("timer"),
       "poll, or be woken for each full sub-buffer")
      ("period", po::value<std::string>()->value_name("TIME")->default_value("1ms"), "of polling")
      ("flush", po::value<std::string>()->value_name("TIME")->default_value("100ms"),
       "take what is in sub-buffers that are not full; 0: never")
      ("flight-recorder", "--mode overwrite; write only snapshots: on SIGUSR1, on request, at the end")
      ("min-interval", po::value<std::string>()->value_name("TIME")->default_value("1s"), "between two snapshots")
      ("help,h", "this text");
  // clang-format on
  options.add(channel);
  return options;
}

core::Result<std::chrono::nanoseconds> duration_of(const core::CommandLine& line, const char* name, const char* unit) {
  const auto ns = core::parse_duration_ns(line.get<std::string>(name), unit);
  if (!ns) return core::Error{fmt::format("--{}: {}", name, ns.error().text), ns.error().hint};
  const std::chrono::nanoseconds span(static_cast<std::int64_t>(*ns));
  // No time that any clock here tells overflows with it.
  if (span > std::chrono::days(36'500)) return core::Error{fmt::format("--{}: longer than 100 years", name)};
  return span;
}

core::Status one_of(const core::CommandLine& line, const char* name, const char* first, const char* second) {
  const auto& word = line.get<std::string>(name);
  if (word == first || word == second) return {};
  return core::Error{fmt::format("--{}: \"{}\" is neither {} nor {}", name, word, first, second)};
}

// What every program would refuse is refused before any is started, by the same code: a session of our own that is
// never started is asked for the same.
core::Status try_in_a_session(const RecordingOptions& options, const trace::ChannelOptions& channel) {
  auto session = trace::Session::create({.name = options.session});
  if (!session) return session.error();
  core::Status status = session->add_channel(channel);
  for (const std::string& pattern : options.patterns)
    if (status) status = session->enable(channel.name, pattern, options.level);
  const core::Status destroyed = session->destroy();
  return status ? destroyed : status;
}

// An option that would change nothing is a mistake in what was meant by it.
core::Status options_go_together(const core::CommandLine& line) {
  const auto is = [&](const char* name, const char* word) { return line.get<std::string>(name) == word; };
  if (line.given("slots") && is("per", "cpu"))
    return core::Error{"--slots does not go with --per cpu: each CPU has its ring", "leave one of them out"};
  if (line.given("min-interval") && !line.has("flight-recorder"))
    return core::Error{"--min-interval is of snapshots", "give --flight-recorder, too"};
  return {};
}

core::Result<RecordingOptions> recording_options(const core::CommandLine& line) {
  RecordingOptions options;
  options.session = line.get<std::string>("session");
  if (line.has("event")) {
    auto patterns = event_patterns(line);
    if (!patterns) return patterns.error();
    options.patterns = *std::move(patterns);
  }
  if (line.has("level")) {
    const auto level = line.get<unsigned>("level");
    if (level > kLastLevel) return core::Error{fmt::format("--level: {} is not within 0 to {}", level, kLastLevel)};
    options.level = static_cast<trace::Level>(level);
  }
  if (const core::Status together = options_go_together(line); !together) return together.error();
  const bool flight = line.has("flight-recorder");
  for (const auto& [name, first, second] : {std::tuple{"per", "thread", "cpu"}, {"deliver", "timer", "wakeup"}}) {
    const core::Status known = one_of(line, name, first, second);
    if (!known) return known.error();
  }
  std::string mode = flight ? "overwrite" : "discard";
  if (line.has("mode")) {
    const core::Status known = one_of(line, "mode", "discard", "overwrite");
    if (!known) return known.error();
    mode = line.get<std::string>("mode");
  }
  if (flight && mode != "overwrite") return core::Error{"--flight-recorder needs --mode overwrite"};
  const auto size = parse_bytes(line.get<std::string>("size"));
  if (!size) return size.error();
  options.channel = fmt::format(" mode={} per={} size={} count={} deliver={}", mode, line.get<std::string>("per"),
                                *size, line.get<unsigned>("count"), line.get<std::string>("deliver"));
  if (line.has("slots")) options.channel += fmt::format(" slots={}", line.get<unsigned>("slots"));
  trace::ChannelOptions channel{.sub_buffer_size = *size, .sub_buffers = line.get<unsigned>("count")};
  if (line.has("slots")) channel.slots = line.get<unsigned>("slots");
  if (mode == "overwrite") channel.when_full = trace::FullBuffer::overwrite;
  if (line.get<std::string>("per") == "cpu") channel.ownership = trace::Ownership::per_cpu;
  if (line.get<std::string>("deliver") == "wakeup") channel.delivery = trace::Delivery::wakeup;
  if (const core::Status accepted = try_in_a_session(options, channel); !accepted) return accepted.error();
  const auto period = duration_of(line, "period", "ms"), flush = duration_of(line, "flush", "ms");
  const auto interval = duration_of(line, "min-interval", "s");
  for (const auto* each : {&period, &flush, &interval}) {
    if (!*each) return each->error();
  }
  if (line.given("period") && channel.delivery == trace::Delivery::wakeup && flush->count() != 0)
    return core::Error{"--period does not go with --deliver wakeup: only --flush is done by time",
                       "leave one of them out, or flush never: --flush 0"};
  constexpr std::chrono::microseconds kShortest(20);
  if (*period < kShortest) return core::Error{"--period: 20 us is the shortest"};
  if (flush->count() != 0 && *flush < kShortest) return core::Error{"--flush: 20 us is the shortest", "0: never"};
  options.recorder.period = *period;
  options.recorder.flush = *flush;
  options.recorder.flight_recorder = flight;
  options.recorder.snapshot_interval = *interval;
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
