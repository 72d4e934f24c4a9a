// SPDX-License-Identifier: MIT
#include "compare_text.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "compare_words.hpp"

namespace maxlat::reports {
namespace {

std::string shown(const std::string& value) {
  return value.empty() ? "-" : core::printable(value);
}

std::string machine_text(const ComparedRuns& compared, unsigned width) {
  std::string not_told;
  for (const std::string& sentence : compared.machine_not_told) not_told += core::wrapped(sentence, width, "  - ");
  if (compared.machine.empty()) return fmt::format("Machine: {}\n", no_machine_difference(compared)) + not_told;
  std::vector<std::string> columns{"group", "value"};
  for (size_t i = 0; i < compared.names.size(); ++i) columns.push_back(group_text(compared, i));
  core::TextTable table(columns);
  for (const MachineRow& row : compared.machine) {
    std::vector<std::string> cells{row.group, core::printable(row.name)};
    for (const std::string& value : row.values) cells.push_back(shown(value));
    table.row(std::move(cells));
  }
  return "Machine: what differs\n" + table.text(width) + not_told;
}

std::vector<std::string> cells_of(const std::string& name, const std::vector<core::CpuResult>& all,
                                  std::string (*text)(const core::CpuResult&)) {
  std::vector<std::string> cells{name};
  for (size_t i = 0; i < all.size(); ++i) {
    cells.push_back(all[i].samples == 0 ? "-" : text(all[i]));
    if (i > 0) cells.emplace_back();
  }
  return cells;
}

std::string phase_text(const ComparedRuns& compared, const PhaseRow& phase, unsigned width) {
  std::vector<std::string> columns{"figure"};
  for (size_t i = 0; i < compared.names.size(); ++i) {
    columns.push_back("#" + group_text(compared, i));
    if (i > 0) columns.emplace_back("against " + compared.names[0]);
  }
  core::TextTable table(columns);
  table.row(cells_of("samples", phase.all, [](const core::CpuResult& all) { return fmt::format("{}", all.samples); }));
  table.row(cells_of("watched", phase.all, [](const core::CpuResult& all) {
    return all.exposure_s > 0 ? core::duration_text(all.exposure_s) : "-";
  }));
  for (const FigureRow& figure : phase.figures) {
    std::vector<std::string> cells{figure.name};
    for (size_t i = 0; i < figure.values_ns.size(); ++i) {
      cells.push_back(figure.values_ns[i] ? core::latency_text(*figure.values_ns[i]) : "-");
      if (i > 0) cells.push_back(difference_text(figure.differences[i - 1]));
    }
    table.row(std::move(cells));
  }
  return core::printable(phase.name) + "\n" + table.text(width);
}

}  // namespace

std::string compare_text(const ComparedRuns& compared, unsigned width) {
  std::string text = machine_text(compared, width);
  for (const PhaseRow& phase : compared.phases) text += "\n" + phase_text(compared, phase, width);
  text += "\nVerdict\n";
  for (const std::string& sentence : compared.verdict) text += core::wrapped(sentence, width, "  - ");
  return text;
}

}  // namespace maxlat::reports
