// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/reports/plan_length_command.hpp>

#include "length/evidence.hpp"
#include "length/noise.hpp"
#include "result_path.hpp"
#include "view/measured_alike.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr double kRarest_s = 1e11;
constexpr std::size_t kMostRepeats = 1000;
constexpr std::uint64_t kShownRows = 3, kMostAllowedByHand = 100'000;

constexpr core::CommandHelp kLengthHelp = {
    "maxlat plan-length [options] [RUN...]",
    "How long must a run watch, to show that a limit is exceeded fewer than so often? With RUN, the folder\n"
    "of a run or a result file: what it shows, how long a further run of its kind would have to be, and\n"
    "which latency its tail leads to. Times are CPU time watched: four CPUs watch four hours in one.\n"
    "Several RUNs, or a folder of them, are taken as repeats of the same: which difference to another build can so\n"
    "many find?",
    "  maxlat plan-length --fewer-than 1/24h                      from nothing\n"
    "  maxlat plan-length DIR --above 50us --fewer-than 1/24h     from what a run saw\n"
    "  maxlat plan-length DIR1 DIR2 DIR3 DIR4 DIR5                how much they differ by themselves\n"};

po::options_description length_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("fewer-than", core::argument("N/TIME")->default_value("1/24h"), "exceedances in a time: 1/24h, 0.5/8h");
  add("confidence", core::argument("PERCENT")->default_value("95"), "how sure it is to be: 99, 99.9");
  add("allow", core::argument("K"), "without RUN: exceedances that may happen meanwhile (default: 0 to 3)");
  add("above", core::argument("TIME"), "with one RUN: the limit; every time needs its unit (default: RUN's maximum)");
  add("phase", core::argument("NAME"),
      "with RUN: the phase of this name, or all of this kind (default: all that measure the box)");
  add("json", core::argument("FILE"), "write it to FILE instead (- is standard output)");
  add("help,h", "this help");
  return options;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

core::Result<WantedRate> wanted_rate(const core::CommandLine& line) {
  const std::string text = line.get<std::string>("fewer-than");
  const std::size_t slash = text.find('/');
  const std::optional<double> events = number_of(text.substr(0, slash));
  if (slash == std::string::npos || !events || !(*events > 0 && *events <= 1e12))
    return core::Error{fmt::format("--fewer-than {}: not N/TIME with N above 0 and at most 1e12, without an exponent", text),
                       "write 1/24h: one in 24 hours"};
  const auto time_ns = core::parse_duration_ns(text.substr(slash + 1), core::kUnitNeeded);
  if (!time_ns) return core::Error{"--fewer-than: " + time_ns.error().text, time_ns.error().hint};
  if (*time_ns == 0) return core::Error{"--fewer-than: the time is 0", "write 1/24h: one in 24 hours"};
  if (static_cast<double>(*time_ns) / 1e9 / *events > kRarest_s)
    return core::Error{fmt::format("--fewer-than {}: less than one in 3000 years cannot be shown", text),
                       "it takes three times as long, at least"};
  std::string percent = line.get<std::string>("confidence");
  if (percent.ends_with('%')) percent.pop_back();
  const std::optional<double> confidence = number_of(percent);
  if (!confidence || !(*confidence >= 50 && *confidence <= 99.9999))
    return core::Error{fmt::format("--confidence {}: it must be from 50 to 99.9999", percent),
                       "a percentage: 95 is usual"};
  return WantedRate{*events, static_cast<double>(*time_ns) / 1e9, *confidence / 100};
}

core::Status write_answer(const core::CommandLine& line, const std::string& text) {
  return core::write_atomically(line.has("json") ? line.get<std::string>("json") : "-", text);
}

// What neither bounds nor quantiles could be made of.
std::optional<std::string> cannot_be_counted(const core::Phase& phase, std::optional<double> limit_ns) {
  const core::CpuResult all = merge_cpus(phase);
  if (!(all.exposure_s > 0)) return "the time watched is not known";
  if (limit_ns && *limit_ns < all.max_ns && all.bins.empty()) return "there is no histogram to count in";
  if (auto why = ends_at_a_limit(phase)) return why;
  return not_told(phase, limit_ns.value_or(all.max_ns));
}

core::Result<core::Exit> plan_from_nothing(const core::CommandLine& line, const WantedRate& wanted) {
  for (const char* option : {"above", "phase"})
    if (line.has(option))
      return core::Error{fmt::format("--{} is about a run, and none is given", option),
                         "name the folder of a run, or a result file"};
  std::uint64_t least = 0, most = kShownRows;
  if (line.has("allow")) {
    const std::optional<std::uint64_t> allowed = core::whole_number(line.get<std::string>("allow"));
    if (!allowed || *allowed > kMostAllowedByHand)
      return core::Error{fmt::format("--allow {}: it must be a whole number up to {}", line.get<std::string>("allow"),
                                     kMostAllowedByHand),
                         "0: the run has to be without an exceedance"};
    least = most = *allowed;
  }
  const core::Status written =
      write_answer(line, line.has("json") ? plan_json(wanted, least, most) : plan_text(wanted, least, most));
  if (!written) return written.error();
  return core::Exit::pass;
}

// A name wins over a kind, as with `maxlat gate`.
core::Result<std::vector<const core::Phase*>> asked_phases(const core::RunResult& run, const core::CommandLine& line) {
  std::vector<const core::Phase*> named, of_kind;
  const std::string name = line.has("phase") ? line.get<std::string>("phase") : "";
  for (const core::Phase& phase : run.phases) {
    if (!name.empty() && phase.name == name) named.push_back(&phase);
    if (name.empty() ? is_of_the_box(phase) : phase.kind == name) of_kind.push_back(&phase);
  }
  if (named.empty()) named = of_kind;
  if (!named.empty()) return named;
  if (name.empty()) return core::Error{"no phase of the run measures the box", "maxlat report shows the phases"};
  return core::Error{fmt::format("no phase is called \"{}\", or is of this kind", name),
                     "maxlat report shows the phases"};
}

core::Result<core::Exit> plan_from_run(const core::CommandLine& line, const std::string& run,
                                       const WantedRate& wanted) {
  if (line.has("allow"))
    return core::Error{"--allow is for a plan from nothing", "with a run, as many are allowed as its rate lets expect"};
  std::optional<double> limit_ns;
  if (line.has("above")) {
    const auto above = core::parse_duration_ns(line.get<std::string>("above"), core::kUnitNeeded);
    if (!above) return core::Error{"--above: " + above.error().text, above.error().hint};
    limit_ns = static_cast<double>(*above);
  }
  const auto stored = read_operand({run});
  if (!stored) return stored.error();
  if (line.has("json"))
    if (const core::Status apart = core::check_apart({line.get<std::string>("json")}, {stored->path}); !apart)
      return apart.error();
  const auto phases = asked_phases(stored->run, line);
  if (!phases) return phases.error();

  std::vector<Evidence> all;
  std::string text, unfit;
  for (const core::Phase* phase : *phases) {
    std::optional<std::string> reason = unfit_because(*phase);
    if (!reason) reason = cannot_be_counted(*phase, limit_ns);
    if (reason) {
      unfit += fmt::format("{}{}: {}", unfit.empty() ? "" : "; ", phase->name, *reason);
      continue;
    }
    all.push_back(evidence_of(*phase, wanted, limit_ns));
    text += (text.empty() ? "" : "\n") + evidence_text(all.back(), wanted);
  }
  if (!all.empty())
    if (const core::Status written = write_answer(line, line.has("json") ? evidence_json(all, wanted) : text); !written)
      return written.error();
  if (unfit.empty()) return core::Exit::pass;
  return core::Error{"nothing can be said of " + unfit, "maxlat report tells more of it", core::Exit::invalid};
}

// The phases of this name in all runs; nothing where one of them has none that is fit.
std::optional<std::vector<const core::Phase*>> same_phase(const std::vector<StoredRun>& runs, const std::string& name) {
  std::vector<const core::Phase*> same;
  for (const StoredRun& stored : runs)
    for (const core::Phase& phase : stored.run.phases)
      if (phase.name == name && !unfit_because(phase) && !ends_at_a_limit(phase)) same.push_back(&phase);
  if (same.size() != runs.size()) return {};
  return same;
}

// In what one of them was measured otherwise than the first.
std::optional<std::string> unlike(const std::vector<const core::Phase*>& same) {
  for (const core::Phase* phase : same)
    if (auto otherwise = measured_otherwise(*phase, *same.front())) return otherwise;
  return std::nullopt;
}

core::Status check_repeats(const std::vector<StoredRun>& runs) {
  std::vector<const core::RunResult*> all;
  for (const StoredRun& stored : runs) all.push_back(&stored.run);
  const auto why = no_repeats_because(all);
  if (!why) return {};
  return core::Error{*why, "repeats are of one box, in one state, with one kernel", core::Exit::invalid};
}

core::Result<core::Exit> plan_from_repeats(const core::CommandLine& line, const std::vector<std::string>& repeats,
                                           const WantedRate& wanted) {
  for (const char* option : {"above", "allow", "fewer-than"})
    if (line.given(option))
      return core::Error{fmt::format("--{} is about one run, and {} are given", option, repeats.size()),
                         "several runs are taken as repeats of the same"};
  if (repeats.size() > kMostRepeats)
    return core::Error{fmt::format("{} runs are too many: at most {}", repeats.size(), kMostRepeats)};
  std::vector<StoredRun> runs;
  for (const std::string& operand : repeats) {
    auto stored = read_operand({operand});
    if (!stored) return stored.error();
    const auto same =
        std::find_if(runs.begin(), runs.end(), [&](const StoredRun& run) { return run.run.id == stored->run.id; });
    if (same != runs.end())
      return core::Error{fmt::format("{} and {} are the same run", same->path, stored->path),
                         "a run does not repeat itself"};
    if (line.has("json"))
      if (const core::Status apart = core::check_apart({line.get<std::string>("json")}, {stored->path}); !apart)
        return apart.error();
    runs.push_back(*std::move(stored));
  }
  if (const core::Status repeats_of_one = check_repeats(runs); !repeats_of_one) return repeats_of_one.error();
  const auto phases = asked_phases(runs.front().run, line);
  if (!phases) return phases.error();
  std::vector<PhaseNoise> all;
  std::string text, unfit;
  const auto in_all = std::count_if(phases->begin(), phases->end(), [&](const core::Phase* phase) {
    return same_phase(runs, phase->name).has_value();
  });
  for (const core::Phase* phase : *phases) {
    const auto same = same_phase(runs, phase->name);
    if (!same) continue;
    if (const auto otherwise = unlike(*same)) {
      unfit += fmt::format("{}{}: not measured alike, {}", unfit.empty() ? "" : "; ", phase->name, *otherwise);
      continue;
    }
    all.push_back(noise_of(*same, wanted.confidence, static_cast<std::size_t>(in_all)));
    text += (text.empty() ? "" : "\n") + noise_text(all.back());
  }
  if (all.empty() && unfit.empty())
    return core::Error{"no phase is in all runs and valid in each", "maxlat report shows the phases",
                       core::Exit::invalid};
  if (!all.empty())
    if (const core::Status written = write_answer(line, line.has("json") ? noise_json(all) : text); !written)
      return written.error();
  if (unfit.empty()) return core::Exit::pass;
  return core::Error{"the runs are no repeats of " + unfit, "maxlat compare says in what they differ",
                     core::Exit::invalid};
}

core::Result<core::Exit> run_plan_length(const core::Arguments& arguments) {
  const auto options = length_options();
  const auto parsed = core::parse_or_help(kLengthHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  const auto wanted = wanted_rate(line);
  if (!wanted) return wanted.error();
  if (line.operands.empty()) return plan_from_nothing(line, *wanted);
  std::vector<std::string> named;
  for (const std::string& operand : line.operands) {
    const auto runs = runs_at(operand);
    if (!runs) return runs.error();
    named.insert(named.end(), runs->begin(), runs->end());
  }
  return named.size() == 1 ? plan_from_run(line, named.front(), *wanted) : plan_from_repeats(line, named, *wanted);
}

}  // namespace

const core::Command& plan_length_command() {
  static constexpr core::Command kCommand = {"plan-length", "how long a run must be, and what a run shows",
                                             run_plan_length};
  return kCommand;
}

}  // namespace maxlat::reports
