// SPDX-License-Identifier: MIT
//
// The measurements of rteval's summary.xml: a core for each CPU, with statistics and histogram, in microseconds. A
// phase is an element that has the name of its kind. What rteval writes of the machine is not in it. Samples beyond our
// histogram are in the statistics, and in no bucket.
#include <fmt/format.h>

#include <maxlat/reports/export_definition.hpp>

#include "../page/html.hpp"
#include "export_rows.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

std::string us_text(double ns) {
  return fmt::format("{:.3f}", ns / kRow_ns);
}

void add_statistics(Html& xml, const core::Phase& phase, const core::CpuResult& cpu) {
  const auto statistics = xml.element("statistics");
  xml.leaf("samples", std::to_string(cpu.samples));
  const auto figure = [&](std::string_view name, double ns) { xml.leaf(name, us_text(ns), {{"unit", "us"}}); };
  figure("minimum", cpu.min_ns);
  figure("maximum", cpu.max_ns);
  if (const auto median = shown_quantile(phase, cpu, 0.5)) figure("median", *median);
  if (!shows_mean(phase, cpu)) return;
  figure("mean", cpu.mean_ns);
  if (tells_deviation(cpu)) figure("standard_deviation", cpu.stddev_ns);
}

void add_core(Html& xml, const core::Phase& phase, const core::CpuResult& cpu) {
  const auto core = xml.element("core", {{"id", std::to_string(cpu.cpu)}});
  add_statistics(xml, phase, cpu);
  const auto rows = rows_of(cpu);
  const auto histogram = xml.element("histogram", {{"nbuckets", std::to_string(rows.size())}});
  for (const auto& [us, count] : rows)
    xml.leaf("bucket", "", {{"index", std::to_string(us)}, {"value", std::to_string(count)}});
}

core::Result<std::string> write_rteval(const core::RunResult& run, const std::vector<const core::Phase*>& phases) {
  Html xml;
  xml.trusted("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  {
    const auto root = xml.element("rteval", {{"version", run.tool}});
    const auto measurements = xml.element("Measurements");
    for (const core::Phase* phase : phases) {
      const auto profile = xml.element(
          "Profile", {{"loads", phase->load.empty() ? "0" : "1"}, {"measurement", "1"}, {"name", phase->name}});
      // The kinds of a result that was read may be any text; ours are names.
      const bool is_name = phase->kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
      const auto meter = xml.element(is_name && !phase->kind.empty() ? phase->kind : "measurement",
                                     {{"command_line", phase->command}, {"status", core::to_string(phase->status)}});
      for (const core::CpuResult& cpu : phase->per_cpu)
        if (cpu.samples > 0) add_core(xml, *phase, cpu);
    }
  }
  return xml.take() + "\n";
}

}  // namespace

extern const ExportDefinition kRtevalXml{"rteval", "XML as that of rteval", write_rteval};

}  // namespace maxlat::reports
