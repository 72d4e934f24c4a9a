// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/core/sys/version.hpp>
#include <maxlat/loadgen/load_command.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <optional>
#include <string>
#include <vector>

#include "control_command.hpp"

namespace maxlat::loadgen {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr core::CommandHelp kHelp = {
    .synopsis = "maxlat load LOAD... [options]\n       maxlat load control -a LIST [options]",
    .about =
        "Runs supervised loads until their time is over; exit status 3 when one of them died.\n"
        "\"control\" plants stalls of known length instead, which a meter that runs beside it must find.",
    .examples =
        "  maxlat load hackbench cache -D 10m      two loads together for ten minutes\n"
        "  maxlat load control -a 1 -p 98          15 stalls on CPU 1, with their planted and actual length\n",
};

// Ten years: no run, and no overflow when it is added to a time.
constexpr std::chrono::nanoseconds kLongestDuration = std::chrono::hours(24 * 3650);

struct LoadRequest {
  core::Arguments arguments;  // as the user gave them
  std::vector<std::string> loads;
  core::CpuList cpus;
  std::optional<std::chrono::nanoseconds> duration;
  bool quiet = false, verbose = false;
  std::string json;
};

void print_kinds() {
  for (const LoadKind& kind : load_kinds())
    fmt::print("{}", core::list_line(fmt::format("{}{}", kind.name, kind.argument),
                                     fmt::format("{}{}", kind.about, kind.built_in ? " (built in)" : ""), 25));
}

std::string rate_text(const LoadProgress& load) {
  if (!load.alive) return fmt::format("{} died: {}", load.name, load.reason);
  return fmt::format("{} {:.4g} {}", load.name, load.rate, load.unit);
}

// What a reader of one line wants: every load with its rate.
std::string rates_text(const std::vector<LoadProgress>& loads) {
  std::string text;
  for (const LoadProgress& load : loads) text += (text.empty() ? "" : ", ") + rate_text(load);
  return text;
}

// Runs them until their time is over, a stop is requested, or one dies. Returns the time that passed.
Clock::duration supervise(LoadSet& loads, const LoadRequest& request, core::Progress& progress) {
  const Clock::time_point start = Clock::now();
  const Clock::time_point end = request.duration ? start + *request.duration : Clock::time_point::max();
  Clock::time_point next = start;
  while (loads.all_alive() && Clock::now() < end) {
    next = std::min(next + std::chrono::seconds(1), end);
    if (!core::rest_until(next)) break;
    loads.sample();
    const std::string rates = rates_text(loads.latest());
    const auto passed = Clock::now() - start;
    if (request.verbose) {
      progress.note(fmt::format("{:4} s  {}", std::chrono::round<std::chrono::seconds>(passed).count(), rates));
    } else if (request.duration) {
      progress.show("load", std::chrono::duration<double>(passed) / *request.duration,
                    std::chrono::ceil<std::chrono::seconds>(end - Clock::now()), rates);
    }
  }
  return Clock::now() - start;
}

const core::LoadResult* first_dead(const std::vector<core::LoadResult>& loads) {
  const auto dead = std::find_if(loads.begin(), loads.end(), [](const core::LoadResult& load) { return !load.alive; });
  return dead == loads.end() ? nullptr : &*dead;
}

core::RunResult result_of(const LoadRequest& request, std::vector<core::LoadResult> loads,
                          std::chrono::system_clock::time_point started, Clock::duration lasted) {
  core::Phase phase;
  phase.name = phase.kind = core::kLoadKind.name;
  phase.status = core::PhaseStatus::ok;
  phase.started = core::utc_text(started);
  phase.duration_s = std::chrono::duration<double>(lasted).count();
  std::vector<std::string> command = {"maxlat", "load"};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  phase.command = core::quote_command(command);
  if (const core::LoadResult* dead = first_dead(loads)) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = fmt::format("load '{}' died: {}", dead->name, dead->reason);
  } else if (request.duration && lasted < *request.duration) {
    phase.status = core::PhaseStatus::interrupted;
    phase.reason = "stopped before its time was over";
  }
  phase.load = std::move(loads);

  core::RunResult run = core::run_frame("load", phase.started);
  if (!request.json.empty()) core::say_machine(run, {.measured_cpus = request.cpus});
  if (phase.status == core::PhaseStatus::interrupted) run.state = core::RunResult::State::interrupted;
  run.phases.push_back(std::move(phase));
  return run;
}

void print_summary(const std::vector<core::LoadResult>& results, const std::vector<LoadProgress>& latest) {
  for (size_t i = 0; i < results.size(); ++i) {
    const core::LoadResult& load = results[i];
    const std::vector<double>& rates = load.progress;
    std::string text = "no full second";
    if (!rates.empty()) {
      const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
      double sum = 0;
      for (const double rate : rates) sum += rate;
      text = fmt::format("{:.4g} {} (least {:.4g}, most {:.4g})", sum / static_cast<double>(rates.size()), load.unit,
                         *least, *most);
    }
    if (latest[i].rounds > 0) text += fmt::format(", {} rounds", latest[i].rounds);
    fmt::print("{:12} {:5} s  {}{}\n", load.name, rates.size(), text, load.alive ? "" : "  died: " + load.reason);
  }
}

core::Result<LoadRequest> request_from(const core::CommandLine& line) {
  if (line.operands.empty()) return core::Error{"no load given", "maxlat load --list names them"};
  LoadRequest request;
  request.loads = line.operands;
  request.quiet = line.has("quiet");
  request.verbose = line.has("verbose");
  if (line.given("json")) request.json = line.get<std::string>("json");
  if (line.given("affinity")) request.cpus = line.get<core::CpuListArgument>("affinity").cpus;
  if (line.given("duration")) {
    core::Result<uint64_t> ns = core::parse_duration_ns(line.get<std::string>("duration"));
    if (!ns) return ns.error();
    if (*ns > 0) request.duration = std::min(std::chrono::nanoseconds(*ns), kLongestDuration);
  }
  return request;
}

core::Result<core::Exit> run_loads(const LoadRequest& request) {
  if (!request.json.empty())
    if (core::Status writable = core::check_writable(request.json); !writable) return writable.error();
  core::catch_stop_signals();
  const auto started = std::chrono::system_clock::now();
  core::Result<LoadSet> loads = LoadSet::start(request.loads, request.cpus);
  if (!loads) return loads.error();
  Clock::duration lasted;
  {
    core::Progress progress(request.quiet);
    if (!request.duration) progress.note("running until SIGINT (Ctrl-C)");
    lasted = supervise(*loads, request, progress);
  }
  std::vector<core::LoadResult> results = loads->stop();
  // With --json - the JSON alone is on standard output.
  if (!request.quiet && request.json != "-") print_summary(results, loads->latest());
  const core::RunResult run = result_of(request, std::move(results), started, lasted);
  if (!request.json.empty())
    if (core::Status written = core::write_run(request.json, run); !written) return written.error();
  const core::Phase& phase = run.phases.front();
  if (phase.status == core::PhaseStatus::invalid)
    return core::Error{phase.reason, "a measurement under this load would not be valid", core::Exit::invalid};
  return core::Exit::pass;
}

po::options_description load_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("LIST"), "CPUs to run on, or to stall (0,2-5)");
  add("list", "list the loads");
  add("help,h", "this text");
  return options;
}

po::options_description supervision_options() {
  po::options_description options("Of loads");
  auto add = options.add_options();
  add("duration,D", core::argument("TIME"), "how long (10m; a bare number: s); 0 (default): until ^C");
  add("json", core::argument("FILE"), "write the result there (- is standard output)");
  add("quiet,q", "no progress and no summary");
  add("verbose,v", "a line of progress every second");
  return options;
}

// An option of the other use is a misunderstanding, not something to overlook.
core::Status refuse_options(const core::CommandLine& line, const po::options_description& others,
                            std::string_view use) {
  for (const auto& option : others.options())
    if (line.given(option->long_name()))
      return core::Error{fmt::format("option '--{}' is not for {}", option->long_name(), use),
                         "maxlat load --help lists the options of both uses"};
  return {};
}

core::Result<core::Exit> run(const core::Arguments& arguments) {
  po::options_description options = load_options();
  options.add(supervision_options()).add(control_options());
  const auto parsed = core::parse_or_help(kHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (line.has("list")) {
    print_kinds();
    return core::Exit::pass;
  }
  if (line.operands == std::vector<std::string>{"control"}) {
    if (core::Status fits = refuse_options(line, supervision_options(), "control"); !fits) return fits.error();
    return run_control(line);
  }
  if (std::find(line.operands.begin(), line.operands.end(), "control") != line.operands.end())
    return core::Error{fmt::format("'control' is no load: it does not go with '{}'",
                                   line.operands.front() == "control" ? line.operands[1] : line.operands.front()),
                       "start the loads in one command, and maxlat load control -a LIST in another"};
  if (core::Status fits = refuse_options(line, control_options(), "loads"); !fits) return fits.error();
  core::Result<LoadRequest> request = request_from(line);
  if (!request) return request.error();
  request->arguments = arguments;
  return run_loads(*request);
}

}  // namespace

const core::Command& load_command() {
  static const core::Command command = {"load", "supervised loads, and the positive control", run};
  return command;
}

}  // namespace maxlat::loadgen
