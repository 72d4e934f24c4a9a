// SPDX-License-Identifier: MIT
#include "compare_options.hpp"

#include <fmt/format.h>

#include <chrono>
#include <maxlat/npt/arm_spec.hpp>

#include "loop/throttling.hpp"

namespace maxlat::npt {
namespace {

namespace po = boost::program_options;

constexpr unsigned kRounds = 8;  // the fewest that allow a verdict on six measures (core/stats/statistics.hpp)
constexpr std::uint64_t kRound_ns = kLongestWithoutRest_ns;

// What belongs to one run, its report or its choice of an arm.
constexpr const char* kOfASingleRun[] = {"arm",      "break",  "output",        "histogram",   "histfile",
                                         "snapshot", "format", "trace-dir",     "nanoseconds", "picoseconds",
                                         "raw",      "above",  "kernel-events", "tracemark",   "sensors"};
// What we say to each process ourselves.
const std::set<std::string> kOurs = {"compare",  "find-max-rate", "with-load", "rounds", "seed",   "affinity",
                                     "duration", "wall-time",     "json",      "quiet",  "verbose"};

core::Result<std::vector<std::string>> arms_of(const core::CommandLine& line, const char* option) {
  auto specs = parse_arm_list(line.get<std::string>(option));
  if (!specs) return core::Error{fmt::format("--{}: {}", option, specs.error().text), specs.error().hint};
  std::vector<std::string> arms;
  for (const ArmSpec& spec : *specs) arms.push_back(to_string(spec));
  return arms;
}

// Short enough to be typed again, and another one each time.
std::uint64_t seed_of_the_clock() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                    std::chrono::microseconds(1)) %
         1'000'000'000;
}

core::Status refuse_options_of_a_single_run(const core::CommandLine& line, const char* mode) {
  for (const char* name : kOfASingleRun)
    if (line.given(name))
      return core::Error{fmt::format("--{} is of a single run, and --{} makes many", name, mode),
                         "--json FILE keeps everything; maxlat report FILE shows it"};
  return {};
}

}  // namespace

void add_compare_options(po::options_description& table) {
  auto add = table.add_options();
  add("compare", core::argument("ARM,ARM,..."), "each arm against the first, in rounds of random order");
  add("find-max-rate", core::argument("ARM,..."), "the highest rate at which each arm loses no event");
  add("with-load", core::argument("trace[:WHAT]"), "of these two: the kernel is traced meanwhile: maxlat, all, syscalls");
  add("rounds", core::argument<unsigned>("N")->default_value(kRounds), "of --compare; -D is then per round");
  add("seed", core::argument<std::uint64_t>("S"), "of the order in the rounds (of the clock)");
}

core::Status read_compare_options(const core::CommandLine& line, NptArguments& arguments) {
  const bool compare = line.has("compare"), rate = line.has("find-max-rate");
  const char* mode = compare ? "compare" : "find-max-rate";
  if (line.has("with-load")) {
    if (!compare && !rate)
      return core::Error{"--with-load belongs to --compare and --find-max-rate",
                         "maxlat load runs other loads beside anything"};
    auto load = parse_kernel_trace(line.get<std::string>("with-load"));
    if (!load) return load.error();
    arguments.kernel_trace_load = *load;
  }
  if (compare && rate) return core::Error{"--compare and --find-max-rate are two runs", "give one of them"};
  for (const char* name : {"rounds", "seed"})
    if (!compare && line.given(name))
      return core::Error{fmt::format("--{} belongs to --compare", name),
                         rate ? "a search has no rounds, and draws nothing" : ""};
  if (!compare && !rate) return {};
  if (core::Status status = refuse_options_of_a_single_run(line, mode); !status) return status;
  auto arms = arms_of(line, mode);
  if (!arms) return arms.error();
  if (compare && arms->size() < 2)
    return core::Error{fmt::format("--compare: {} alone cannot be compared", arms->front()),
                       "name a second arm: --compare none," + arms->front()};
  if (rate && (line.given("loops") || line.given("tp-max-freq")))
    return core::Error{"--find-max-rate sets rate and length of its trials itself", "-D is the length of one trial"};
  (compare ? arguments.compared_arms : arguments.rated_arms) = *arms;
  arguments.rounds = line.get<unsigned>("rounds");
  if (arguments.rounds == 0) return core::Error{"--rounds: must be above 0", ""};
  arguments.seed = line.given("seed") ? line.get<std::uint64_t>("seed") : seed_of_the_clock();
  arguments.for_each_process = line.written_without(kOurs);
  if (compare && !line.given("duration") && !line.given("wall-time") && !line.given("loops")) {
    arguments.measurement.duration_ns = kRound_ns;
    arguments.measurement.loops = 0;
  }
  return {};
}

}  // namespace maxlat::npt
