// SPDX-License-Identifier: MIT
#include "control_command.hpp"

#include <fmt/format.h>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/loadgen/control.hpp>
#include <string>
#include <vector>

namespace maxlat::loadgen {
namespace {

core::Result<std::vector<uint64_t>> parse_lengths(const std::string& text) {
  std::vector<std::string> words;
  boost::algorithm::split(words, text, boost::algorithm::is_any_of(","));
  std::vector<uint64_t> lengths;
  for (const std::string& word : words) {
    core::Result<uint64_t> ns = core::parse_duration_ns(word, core::kUnitNeeded);
    if (!ns) return ns.error();
    lengths.push_back(*ns);
  }
  return lengths;
}

core::Result<StallPlan> plan_from(const core::CommandLine& line) {
  if (!line.given("affinity")) return core::Error{"a control needs CPUs to stall", "give -a LIST, for example -a 1"};
  core::Result<std::vector<uint64_t>> lengths = parse_lengths(line.get<std::string>("stalls"));
  if (!lengths) return lengths.error();
  core::Result<uint64_t> spacing = core::parse_duration_ns(line.get<std::string>("spacing"), core::kUnitNeeded);
  if (!spacing) return spacing.error();
  return StallPlan{.cpus = line.get<core::CpuListArgument>("affinity").cpus,
                   .lengths_ns = *lengths,
                   .repeats = line.get<unsigned>("repeats"),
                   .spacing_ns = *spacing,
                   .priority = line.get<int>("priority"),
                   .seed = line.get<uint64_t>("seed")};
}

void print_stalls(const std::vector<Stall>& stalls) {
  fmt::print("# CPU    planted_ns     actual_ns   begin_monotonic_ns\n");
  for (const Stall& stall : stalls)
    fmt::print("{:5} {:13} {:13} {:20}\n", stall.cpu, stall.planted_ns, stall.actual_ns, stall.begin_monotonic_ns);
}

}  // namespace

boost::program_options::options_description control_options() {
  namespace po = boost::program_options;
  const StallPlan defaults;
  po::options_description options("Of control");
  auto add = options.add_options();
  add("stalls", core::argument("TIMES")->default_value("50us,500us,5ms"), "lengths, at most 1 s each");
  add("repeats", core::argument<unsigned>("N")->default_value(defaults.repeats), "of each length, on each CPU");
  add("spacing", core::argument("TIME")->default_value("20ms"), "mean time between two stalls");
  add("priority,p", core::argument<int>("PRIO")->default_value(defaults.priority),
      "SCHED_FIFO priority of the hog, above the meter's");
  add("seed", core::argument<uint64_t>("N")->default_value(defaults.seed), "of the order and spacing of the stalls");
  return options;
}

core::Result<core::Exit> run_control(const core::CommandLine& line) {
  core::Result<StallPlan> plan = plan_from(line);
  if (!plan) return plan.error();
  core::catch_stop_signals();
  core::Result<std::vector<Stall>> stalls = plant_stalls(*plan);
  if (!stalls) return stalls.error();
  print_stalls(*stalls);
  return core::Exit::pass;
}

}  // namespace maxlat::loadgen
