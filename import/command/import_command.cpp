// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/import/import_command.hpp>
#include <maxlat/import/import_definition.hpp>

namespace maxlat::importing {
namespace {

namespace po = boost::program_options;

std::string about() {
  std::string text =
      "Makes a result of maxlat from FILE, another tool's result, so that report and gate take it.\nFormats:\n";
  for (const ImportDefinition* definition : import_table())
    text += "  " + core::list_line(definition->name, definition->made_by, 17);
  text.pop_back();  // the last line's end is the help's own
  return text;
}

po::options_description make_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("FILE"), "write the result to FILE (- is standard output, and the default)");
  add("format", core::argument("NAME"), "what FILE is (default: told by a look at it)");
  add("unit", core::argument("UNIT"), "ns or us: the unit of FILE, where FILE does not tell it");
  add("help,h", "this help");
  return options;
}

core::Result<ImportOptions> options_of(const core::CommandLine& line) {
  ImportOptions options;
  if (line.has("format")) options.format = line.get<std::string>("format");
  const std::string unit = line.has("unit") ? line.get<std::string>("unit") : "";
  if (unit == "ns") options.unit_ns = 1;
  if (unit == "us") options.unit_ns = 1000;
  if (!unit.empty() && options.unit_ns == 0)
    return core::Error{fmt::format("there is no unit \"{}\"", unit), "--unit takes ns or us"};
  return options;
}

core::Result<core::Exit> run_import(const core::Arguments& arguments) {
  const std::string text_about = about();
  const core::CommandHelp help = {"maxlat import [options] FILE", text_about,
                                  "  maxlat import cyclictest.json -o result.json   then: maxlat report result.json\n"
                                  "  maxlat import --format cyclictest-json - <f    from standard input\n"};
  const auto options = make_options();
  const auto parsed = core::parse_or_help(help, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (line.operands.size() != 1)
    return core::Error{line.operands.empty() ? "no file given" : "more than one file given",
                       "name one result of another tool: maxlat import cyclictest.json"};
  const std::string output = line.has("output") ? line.get<std::string>("output") : "-";
  if (const core::Status writable = core::check_writable(output); !writable) return writable.error();
  const std::string& file = line.operands.front();
  if (const core::Status apart = core::check_apart({output}, {file}); !apart) return apart.error();
  const core::Result<ImportOptions> import_options = options_of(line);
  if (!import_options) return import_options.error();
  core::Result<InputText> input = InputText::open(file == "-" ? "/dev/stdin" : file);
  if (!input) return input.error();
  const core::Result<core::RunResult> run = import_run(*input, *import_options);
  if (!run) return core::Error{fmt::format("{}: {}", file, run.error().text), run.error().hint};
  if (const core::Status written = core::write_run(output, *run); !written) return written.error();
  return core::Exit::pass;
}

}  // namespace

const core::Command& import_command() {
  static constexpr core::Command kCommand = {"import", "other tools' results as ours", run_import};
  return kCommand;
}

}  // namespace maxlat::importing
