// SPDX-License-Identifier: MIT
#include "series_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/output_file.hpp>

#include "report_output.hpp"
#include "series/series_page.hpp"
#include "series/series_text.hpp"

namespace maxlat::reports {
namespace {

core::Result<SeriesSource> source_of(const core::CommandLine& line) {
  SeriesSource source;
  if (line.has("store")) source.store = line.get<std::string>("store");
  source.no_store = line.has("no-store");
  if (source.store && source.no_store)
    return core::Error{"--store and --no-store contradict each other", "leave one of them out"};
  if (line.operands.size() > 1)
    return core::Error{fmt::format("one folder at a time, not {}", line.operands.size()),
                       "name the folder that they are in; results are found at any depth"};
  if (!line.operands.empty()) source.folder = line.operands.front();
  if (source.folder.empty() && !source.store)
    return core::Error{"--series needs a folder", "name a folder of results, or a --store"};
  return source;
}

}  // namespace

void add_series_options(boost::program_options::options_description& options) {
  auto add = options.add_options();
  add("series",
      "RUN is a folder of results, at any depth: the report is of their trend in time, and goes there (series.html)");
  add("store", core::argument("WHERE"),
      "of --series: keep what was read in an SQLite file, or at postgresql://USER@HOST/DATABASE, where a fleet's "
      "results go; without RUN, the report is of what is there");
  add("no-store", "of --series: no index in a folder of many results");
}

core::Result<core::Exit> report_series(const core::CommandLine& line) {
  const auto source = source_of(line);
  if (!source) return source.error();
  const std::string page =
      source->folder.empty() ? "" : (std::filesystem::path(source->folder) / "series.html").string();
  const auto output = output_of(line, page);
  if (!output) return output.error();
  if (line.has("output"))
    if (const core::Status writable = core::check_writable(*output); !writable) return writable.error();
  const auto runs = read_series(*source);
  if (!runs) return runs.error();
  if (const core::Status apart = core::check_apart({*output}, runs->files); !apart) return apart.error();
  const Trends trends = trends_of(*runs);
  const ReportForms forms{[&] { return series_page(trends, *runs); },
                          [&](unsigned width, bool) { return series_text(trends, *runs, width); },
                          [&] { return series_markdown(trends, *runs); }};
  const auto written = write_report(forms, line, page);
  if (!written) return written;
  if (!runs->unread.empty())
    return core::Error{
        fmt::format("{} could not be read: {}", core::counted(runs->unread.size(), "result"), runs->unread.front()),
        "the report is of the others, and names them"};
  return *written;
}

}  // namespace maxlat::reports
