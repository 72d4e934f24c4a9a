// SPDX-License-Identifier: MIT
//
// oslat --json.
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/import/import_definition.hpp>

#include "formats/oslat.hpp"
#include "formats/rt_tests_json.hpp"
#include "reading/imported_run.hpp"
#include "reading/json_reading.hpp"

namespace maxlat::importing {
namespace {

core::CpuResult oslat_thread(const nlohmann::json& thread, const std::string& who) {
  return value_or_throw(oslat_result({.cpu = rt_tests_cpu(thread, who),
                                      .rows = histogram_of(thread, who),
                                      .min_us = number_of(thread, "min", who),
                                      .mean_us = number_of(thread, "avg", who),
                                      .max_us = number_of(thread, "max", who),
                                      .duration_s = number_of(thread, "duration", who)}));
}

core::RunResult oslat_run(const nlohmann::json& document) {
  const RtTestsHead head = rt_tests_head(document, "oslat");
  std::vector<core::CpuResult> per_cpu;
  for (const auto& [name, thread] : rt_tests_threads(document).items())
    per_cpu.push_back(oslat_thread(thread, fmt::format("thread {}", name)));
  core::Phase phase = oslat_phase(head.version, std::move(per_cpu));
  tell_of(head, phase);
  // One that came to it has left no file.
  if (const auto limit_us = option_us(phase.command, 'T', "--trace-threshold"))
    phase.facts[core::fact::kLimit] = core::latency_text(*limit_us * 1e3);
  core::RunResult run = imported_run("oslat", {std::move(phase)});
  if (!head.ended.empty()) run.ended = head.ended;
  return run;
}

}  // namespace

extern const ImportDefinition kOslatJson{
    .name = "oslat-json",
    .made_by = "oslat --json, rt-tests 2",
    .recognises = [](std::string_view beginning) { return is_rt_tests_json(beginning, "oslat"); },
    .read = [](std::string_view text) { return read_json("oslat", text, oslat_run); }};

}  // namespace maxlat::importing
