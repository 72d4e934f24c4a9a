// SPDX-License-Identifier: MIT
#include "compare_page.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>

#include "compare_words.hpp"
#include "page/html.hpp"
#include "page/page_head.hpp"
#include "page/sections.hpp"
#include "plots/overlay.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

using DrawnPhases = std::vector<std::vector<DrawnPlot>>;  // as ComparedRuns::phases

std::vector<Curve> curves_of(const ComparedRuns& compared, const PhaseRow& phase) {
  std::vector<Curve> curves;
  for (size_t i = 0; i < phase.all.size(); ++i)
    if (phase.all[i].samples > 0) curves.push_back({group_text(compared, i), &phase.all[i]});
  return curves;
}

core::Result<DrawnPhases> drawn_phases(const ComparedRuns& compared) {
  std::vector<Plot> plots;
  for (const PhaseRow& phase : compared.phases) {
    const std::vector<Curve> curves = curves_of(compared, phase);
    plots.push_back(overlaid_nines("runs-nines", phase.name + ": Nines", curves));
    plots.push_back(overlaid_histograms("runs-histogram", phase.name + ": Histograms", curves));
  }
  auto all = drawn(std::move(plots));
  if (!all) return all.error();
  DrawnPhases phases(compared.phases.size());
  for (size_t i = 0; i < all->size(); ++i) phases[i / 2].push_back(std::move((*all)[i]));
  return phases;
}

const char* headline(const ComparedRuns& compared) {
  if (compared.worse) return "Worse";
  if (!compared.alike) return "Not comparable";
  return compared.undecided ? "Not decided" : "No difference for the worse is shown";
}

void verdict(Html& html, const ComparedRuns& compared) {
  const auto section = html.element("section", {{"id", "verdict"}});
  html.leaf("h2", headline(compared),
            {{"class", compared.worse                          ? "verdict fail"
                       : compared.alike && !compared.undecided ? "verdict neutral"
                                                               : "verdict invalid"}});
  const auto list = html.element("ul");
  for (const std::string& sentence : compared.verdict) html.leaf("li", with_micro_sign(sentence));
}

void machine(Html& html, const ComparedRuns& compared) {
  const auto section = html.element("section", {{"id", "machine"}});
  html.leaf("h2", "What differs in the machine");
  for (const std::string& sentence : compared.machine_not_told) html.leaf("p", sentence);
  if (compared.machine.empty()) return html.leaf("p", no_machine_difference(compared));
  std::vector<std::string> columns{"group", "value"};
  for (size_t i = 0; i < compared.names.size(); ++i) columns.push_back(group_text(compared, i));
  const Table table(html, "Differences of the machine", columns);
  for (const MachineRow& row : compared.machine) {
    const auto line = html.element("tr");
    html.leaf("td", row.group);
    html.leaf("td", row.name);
    for (const std::string& value : row.values) html.leaf("td", value.empty() ? "–" : value);
  }
}

void difference_cell(Html& html, const Difference& difference) {
  using Kind = Difference::Kind;
  const auto cell = html.element("td");
  const std::string text = difference_text(difference);
  if (difference.kind == Kind::larger || difference.kind == Kind::smaller)
    html.leaf("span", text, {{"class", difference.kind == Kind::larger ? "chip fail" : "chip pass"}});
  else
    html.text(text);
}

void counts(Html& html, const PhaseRow& phase, const char* name, std::string (*text)(const core::CpuResult&)) {
  const auto line = html.element("tr");
  html.leaf("td", name);
  for (size_t i = 0; i < phase.all.size(); ++i) {
    html.leaf("td", phase.all[i].samples == 0 ? "–" : text(phase.all[i]), {{"class", "n"}});
    if (i > 0) html.leaf("td", "");
  }
}

void figures(Html& html, const ComparedRuns& compared, const PhaseRow& phase) {
  std::vector<std::string> columns{"figure"};
  for (size_t i = 0; i < compared.names.size(); ++i) {
    columns.push_back("#" + group_text(compared, i));
    if (i > 0) columns.push_back("against " + compared.names[0]);
  }
  const Table table(html, phase.name, columns);
  counts(html, phase, "samples", [](const core::CpuResult& all) { return grouped(all.samples); });
  counts(html, phase, "watched", [](const core::CpuResult& all) { return seconds_html(all.exposure_s); });
  for (const FigureRow& row : phase.figures) {
    const auto line = html.element("tr");
    html.leaf("td", row.name);
    for (size_t i = 0; i < row.values_ns.size(); ++i) {
      html.leaf("td", row.values_ns[i] ? latency_html(*row.values_ns[i]) : "–", {{"class", "n"}});
      if (i > 0) difference_cell(html, row.differences[i - 1]);
    }
  }
}

void phase_part(Html& html, const ComparedRuns& compared, const PhaseRow& phase, const std::vector<DrawnPlot>& plots) {
  const auto section = html.element("section", {{"class", "phase"}});
  html.leaf("h2", phase.name);
  for (size_t i = 0; i < phase.unlike.size(); ++i)
    if (!phase.unlike[i].empty())
      html.leaf("p", fmt::format("Not measured alike in {}: {}.", compared.names[i + 1], phase.unlike[i]),
                {{"class", "warning"}});
  figures(html, compared, phase);
  plot_grid(html, plots);
}

}  // namespace

core::Status write_compare_page(const ComparedRuns& compared, const std::string& path) {
  const auto plots = drawn_phases(compared);
  if (!plots) return plots.error();
  Html html;
  html.trusted("<!DOCTYPE html>\n");
  {
    const auto document = html.element("html", {{"lang", "en"}});
    page_head(html, fmt::format("maxlat: {} runs compared", compared.names.size()));
    const auto body = html.element("body");
    {
      const auto header = html.element("header");
      html.leaf("h1", "Runs compared");
      std::string names = "Against " + group_text(compared, 0) + ":";
      for (size_t i = 1; i < compared.names.size(); ++i) names += (i > 1 ? ", " : " ") + group_text(compared, i);
      html.leaf("p", names, {{"class", "label"}});
      no_plots_note(html);
    }
    const auto main = html.element("main");
    verdict(html, compared);
    machine(html, compared);
    for (size_t i = 0; i < compared.phases.size(); ++i) phase_part(html, compared, compared.phases[i], (*plots)[i]);
    page_tail(html);
  }
  return core::write_atomically(path, html.take());
}

}  // namespace maxlat::reports
