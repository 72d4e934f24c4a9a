// SPDX-License-Identifier: MIT
#include "meter_words.hpp"

#include <fmt/format.h>

#include <maxlat/rteval_ext/words_checks.hpp>

#include "phase_runner.hpp"

namespace maxlat::rteval_ext {
namespace {

constexpr const char* kAnyFile = "meter.json";  // nothing is written
constexpr std::uint64_t kAnySeed = 1;

}  // namespace

std::map<std::string, WordsCheck>& words_checks() {
  static std::map<std::string, WordsCheck> checks;
  return checks;
}

core::Status check_meter_words(const Step& step, const Bench& bench, bool kernel_events) {
  if (is_control(step.phase->kind) || words_checks().empty()) return {};  // a control has no words of the plan
  const MeterJob job = job_of(*step.phase, step.placement, kAnyFile, kAnySeed, kernel_events);
  const auto spec = bench.meter(step.meter)->command(job);
  if (!spec || spec->argv.size() < 2 || spec->argv[0] != core::own_executable()) return {};
  const std::string& command = spec->argv[1];
  const auto check = words_checks().find(command);
  if (check == words_checks().end()) return {};
  const core::Result<bool> measures = check->second({spec->argv.begin() + 2, spec->argv.end()});
  if (measures && *measures) return {};
  const std::string who = fmt::format("phase '{}': maxlat {}", step.phase->name, command);
  if (measures)
    return core::Error{who + " measures nothing by these arguments", "leave the one that asks for help out"};
  const core::Error& error = measures.error();
  if (error.exit_status != core::Exit::error) return {};
  return core::Error{fmt::format("{}: {}", who, error.text), error.hint};
}

}  // namespace maxlat::rteval_ext
