// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/reports/export_command.hpp>
#include <maxlat/reports/export_definition.hpp>

#include "result_path.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kFormatWidth = 17;

std::string export_formats() {
  return "formats are " + core::names_of(export_table());
}

po::options_description export_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("format", core::argument("NAME"), "which of the formats; needed");
  add("phase", core::argument("NAME"),
      "the phase of this name only (default: every phase with samples; openmetrics: and those that did not measure)");
  add("output,o", core::argument("FILE"), "write to FILE (- is standard output, and the default)");
  add("help,h", "this help");
  return options;
}

core::Result<const ExportDefinition*> export_format(const core::CommandLine& line) {
  if (!line.has("format")) return core::Error{"no format given", export_formats()};
  const std::string name = line.get<std::string>("format");
  for (const ExportDefinition* definition : export_table())
    if (definition->name == name) return definition;
  return core::Error{fmt::format("there is no format \"{}\"", name), export_formats()};
}

bool is_exported(const core::Phase& phase, const ExportDefinition& format) {
  if (format.tells_failed && core::kind_of(phase).measures) return true;
  return std::any_of(phase.per_cpu.begin(), phase.per_cpu.end(),
                     [](const core::CpuResult& cpu) { return cpu.samples > 0; });
}

core::Result<std::vector<const core::Phase*>> exported_phases(const core::RunResult& run,
                                                              const ExportDefinition& format,
                                                              const core::CommandLine& line) {
  const std::string wanted = line.has("phase") ? line.get<std::string>("phase") : "";
  std::vector<const core::Phase*> phases;
  for (const core::Phase& phase : run.phases)
    if (is_exported(phase, format) && (wanted.empty() || phase.name == wanted)) phases.push_back(&phase);
  if (!phases.empty()) return phases;
  if (wanted.empty()) return core::Error{"no phase of the run has samples: there is nothing to export"};
  return core::Error{fmt::format("no phase with samples is called \"{}\"", wanted), "maxlat report shows the phases"};
}

core::Result<core::Exit> run_export(const core::Arguments& arguments) {
  std::string about = "Writes a run in the form that another program takes.\nFormats:\n";
  for (const ExportDefinition* definition : export_table())
    about += "  " + core::list_line(definition->name, definition->what, kFormatWidth);
  about.pop_back();
  const core::CommandHelp help = {"maxlat export [options] RUN", about,
                                  "  maxlat export DIR --format openmetrics -o FILE     for a monitoring system\n"
                                  "  maxlat export result.json --format csv >figures.csv   for a spreadsheet\n"};
  const auto options = export_options();
  const auto parsed = core::parse_or_help(help, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  const auto format = export_format(line);
  if (!format) return format.error();
  const std::string output = line.has("output") ? line.get<std::string>("output") : "-";
  if (const core::Status writable = core::check_writable(output); !writable) return writable.error();
  const auto stored = read_operand(line.operands);
  if (!stored) return stored.error();
  if (const core::Status apart = core::check_apart({output}, {stored->path}); !apart) return apart.error();
  const auto phases = exported_phases(stored->run, **format, line);
  if (!phases) return phases.error();
  const core::Result<std::string> text = (*format)->write(stored->run, *phases);
  if (!text) return text.error();
  if (const core::Status written = core::write_atomically(output, *text); !written) return written.error();
  return core::Exit::pass;
}

}  // namespace

const core::Command& export_command() {
  static constexpr core::Command kCommand = {"export", "our results for other programs", run_export};
  return kCommand;
}

}  // namespace maxlat::reports
