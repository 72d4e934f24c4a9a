// SPDX-License-Identifier: MIT
//
// Plots on a page: drawn all at once, each with its caption, its legend and its note.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/reports/report.hpp>

#include "plots/gnuplot.hpp"
#include "plots/svg_clean.hpp"
#include "sections.hpp"

namespace maxlat::reports {

std::string no_plots_because() {
  if (!core::find_program("gnuplot").empty()) return "";
  return "gnuplot is not installed, so the page has no plots; everything else is there (apt install gnuplot-nox)";
}

void no_plots_note(Html& html) {
  if (const std::string why = no_plots_because(); !why.empty()) html.leaf("p", why + ".", {{"class", "warning"}});
}

core::Result<std::vector<DrawnPlot>> drawn(std::vector<Plot> plots) {
  std::vector<DrawnPlot> figures;
  if (!no_plots_because().empty()) {
    for (Plot& plot : plots) figures.push_back({std::move(plot), ""});
    return figures;
  }
  auto drawings = draw(plots);
  if (!drawings) return drawings.error();
  for (size_t i = 0; i < plots.size(); ++i) {
    auto svg = clean_svg((*drawings)[i], plot_id(i), plots[i]);
    if (!svg) return svg.error();
    figures.push_back({std::move(plots[i]), *std::move(svg)});
  }
  return figures;
}

void plot_grid(Html& html, std::span<const DrawnPlot> plots) {
  if (std::all_of(plots.begin(), plots.end(), [](const DrawnPlot& plot) { return plot.svg.empty(); })) return;
  const auto grid = html.element("div", {{"class", "plots"}});
  for (const DrawnPlot& plot : plots) figure(html, plot);
}

void figure(Html& html, const DrawnPlot& drawn) {
  if (drawn.svg.empty()) return;
  const auto guard = html.element("figure", {{"data-kind", drawn.plot.kind}});
  html.leaf("figcaption", drawn.plot.title.substr(std::min(drawn.plot.title.size(), drawn.plot.title.rfind(": ") + 2)));
  html.trusted(drawn.svg);
  if (drawn.plot.series.size() > 1) {
    const auto list = html.element("ul", {{"class", "legend"}});
    for (const auto& series : drawn.plot.series)
      html.leaf("li", series.name, {{"style", fmt::format("--c:var(--s{})", series.colour)}});
  }
  if (!drawn.plot.note.empty()) html.leaf("p", drawn.plot.note);
}

}  // namespace maxlat::reports
