// SPDX-License-Identifier: MIT
#include "gnuplot_script.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace maxlat::reports {
namespace {

using Out = std::back_insert_iterator<std::string>;

// gnuplot takes the label of a tic for a format.
std::string quote_tic(std::string_view label) {
  std::string doubled;
  for (const char c : label) doubled += c == '%' ? "%%" : std::string(1, c);
  return gnuplot_quote(doubled);
}

void axis_commands(Out out, char name, const Axis& axis) {
  if (axis.logarithmic) fmt::format_to(out, "set logscale {}\n", name);
  fmt::format_to(out, "set {}range [{:.9g}:{:.9g}]\nset {}label {}\nset {}tics (", name, axis.low, axis.high, name,
                 gnuplot_quote(axis.label), name);
  const char* comma = "";
  for (const auto& tic : axis.tics) {
    fmt::format_to(out, "{}{} {:.9g}", comma, quote_tic(tic.label), tic.at);
    comma = ", ";
  }
  fmt::format_to(out, ")\n");
}

// How far along the axis a value lies, 0 to 1.
double along(const Axis& axis, double at) {
  const auto scale = [&](double value) { return axis.logarithmic ? std::log(value) : value; };
  return (scale(at) - scale(axis.low)) / (scale(axis.high) - scale(axis.low));
}

void mark_commands(Out out, const Plot& plot) {
  int tag = 0;
  for (const auto& mark : plot.marks) {
    ++tag;
    const char* side =
        along(plot.x, mark.x) > 0.4 ? "right offset -0.6,0" : "left offset 0.6,0";  // where there is room
    fmt::format_to(out, "set arrow {} from {:.9g}, graph 0 to {:.9g}, graph 1 nohead dt 2 lw 1 lc rgb '{}'\n", tag,
                   mark.x, mark.x, kMarkColour);
    fmt::format_to(out, "set label {} {} at {:.9g}, graph 0.96 {} textcolor rgb '{}'\n", tag, gnuplot_quote(mark.label),
                   mark.x, side, kMarkColour);
  }
}

void data_block(Out out, size_t index, const Series& series) {
  fmt::format_to(out, "$s{} << EOD\n", index);
  for (const auto& stroke : series.strokes) {
    for (const auto& point : stroke) fmt::format_to(out, "{:.7g} {:.7g}\n", point.x, point.y);
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "EOD\n");
}

std::string style_of(const Series& series, double baseline) {
  const char* colour = kPalette[series.colour % std::size(kPalette)];
  switch (series.shape) {
    case Series::Shape::line:
      return fmt::format("with lines lw {:.3g} lc rgb '{}'", series.width, colour);
    case Series::Shape::area:
      return fmt::format("with filledcurves y1={:.9g} fc rgb '{}' fs solid 0.35 border lc rgb '{}'", baseline, colour,
                         colour);
    case Series::Shape::band:
      return fmt::format("with filledcurves closed fc rgb '{}' fs solid 0.2 noborder", colour);
    case Series::Shape::dots:
      return fmt::format("with points pt 7 ps 0.45 lc rgb '{}'", colour);
  }
  return {};
}

}  // namespace

std::string gnuplot_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "''";
    else
      quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return quoted + "'";
}

std::string gnuplot_script(const Plot& plot, std::string_view id, std::string_view output) {
  std::string script;
  const Out out(script);
  fmt::format_to(out, "reset\nset encoding utf8\n");
  fmt::format_to(out, "set terminal svg noenhanced size {},{} dynamic font 'sans-serif,12' linewidth 1 name {}\n",
                 kPlotWidth, kPlotHeight, gnuplot_quote(id));
  fmt::format_to(out, "set output {}\nunset key\nset border 3 lw 0.8\n", gnuplot_quote(output));
  fmt::format_to(out, "set tics nomirror scale 0.4,0\nset grid xtics ytics back lt 1 lw 0.6 lc rgb '{}'\n",
                 kGridColour);
  axis_commands(out, 'x', plot.x);
  axis_commands(out, 'y', plot.y);
  mark_commands(out, plot);
  for (size_t i = 0; i < plot.series.size(); ++i) data_block(out, i, plot.series[i]);
  const char* begin = "plot ";
  for (size_t i = 0; i < plot.series.size(); ++i) {
    fmt::format_to(out, "{}$s{} using 1:2 {} notitle", begin, i, style_of(plot.series[i], plot.y.low));
    begin = ", \\\n     ";
  }
  fmt::format_to(out, "\nunset output\n");
  for (size_t i = 0; i < plot.series.size(); ++i) fmt::format_to(out, "undefine $s{}\n", i);
  return script;
}

}  // namespace maxlat::reports
