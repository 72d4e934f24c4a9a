// SPDX-License-Identifier: MIT
//
// Plots on a page: drawn all at once, each with its caption, its legend and its note.
#include <fmt/format.h>

#include <algorithm>

#include "plots/gnuplot.hpp"
#include "plots/svg_clean.hpp"
#include "sections.hpp"

namespace maxlat::reports {

core::Result<std::vector<DrawnPlot>> drawn(std::vector<Plot> plots) {
  auto drawings = draw(plots);
  if (!drawings) return drawings.error();
  std::vector<DrawnPlot> figures;
  for (size_t i = 0; i < plots.size(); ++i) {
    auto svg = clean_svg((*drawings)[i], plot_id(i), plots[i]);
    if (!svg) return svg.error();
    figures.push_back({std::move(plots[i]), *std::move(svg)});
  }
  return figures;
}

void figure(Html& html, const DrawnPlot& drawn) {
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
