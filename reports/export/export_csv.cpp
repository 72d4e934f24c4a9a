// SPDX-License-Identifier: MIT
//
// A line for each CPU of each phase, below a line of names: RFC 4180. What was not measured is an empty field. A text
// that a spreadsheet would take for a formula has an apostrophe before it.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/reports/export_definition.hpp>

#include "export_rows.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

std::string csv_field(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) (quoted += c == '"' ? "\"" : "") += c;
  return quoted + '"';
}

std::string csv_time(double ns) {
  return fmt::format("{:.3f}", ns);
}

std::string csv_time(std::optional<double> ns) {
  return ns ? csv_time(*ns) : "";
}

std::string csv_line(const core::Phase& phase, const core::CpuResult& cpu) {
  std::string line = fmt::format("{},{},{},{},{},{},{}", csv_field(phase.name), csv_field(phase.kind),
                                 csv_field(phase.arm), core::to_string(phase.status), cpu.cpu, cpu.samples,
                                 cpu.exposure_s > 0 ? fmt::format("{:.9f}", cpu.exposure_s) : "");
  const bool measured = cpu.samples > 0, of_all = shows_mean(phase, cpu);
  line += "," + (measured ? csv_time(cpu.min_ns) : "");
  line += "," + (of_all ? csv_time(cpu.mean_ns) : "");
  line += "," + (of_all && tells_deviation(cpu) ? csv_time(cpu.stddev_ns) : "");
  for (const core::QuantileLevel& level : core::kQuantileLevels)
    line += "," + csv_time(shown_quantile(phase, cpu, level.level));
  return line + fmt::format(",{},{},{}\r\n", measured ? csv_time(cpu.max_ns) : "", cpu.overflow_count,
                            core::is_upper_bound(phase) ? "upper" : "");
}

core::Result<std::string> write_csv(const core::RunResult&, const std::vector<const core::Phase*>& phases) {
  std::string text = "phase,kind,arm,status,cpu,samples,exposure_s,min_ns,mean_ns,stddev_ns";
  for (const core::QuantileLevel& level : core::kQuantileLevels) text += fmt::format(",{}_ns", level.label);
  text += ",max_ns,overflow_count,bound\r\n";
  for (const core::Phase* phase : phases)
    for (const core::CpuResult& cpu : phase->per_cpu) text += csv_line(*phase, cpu);
  return text;
}

}  // namespace

extern const ExportDefinition kCsv{"csv", "a line for each CPU of each phase, for spreadsheets", write_csv};

}  // namespace maxlat::reports
