// SPDX-License-Identifier: MIT
//
// A plot as data: what is on the axes, which series, which marks. Pure values: made from results in plots.cpp, turned
// into gnuplot commands in gnuplot_script.cpp, drawn in gnuplot.cpp. Nothing here knows how it is drawn.
#pragma once

#include <iterator>
#include <string>
#include <vector>

namespace maxlat::reports {

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

// A stroke is drawn without lifting the pen; a series lifts it between its strokes.
using Stroke = std::vector<Point>;

struct Series {
  enum class Shape {
    line,  // strokes
    area,  // strokes, filled down to the lower end of the y axis
    dots,  // every point on its own
    band,  // strokes, closed and filled
  };
  std::string name;
  unsigned colour = 0;  // index into kPalette
  Shape shape = Shape::line;
  std::vector<Stroke> strokes;
  double width = 1.3;  // of a line
};

struct Tic {
  double at = 0;
  std::string label;  // empty: a line of the grid, without text
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  double low = 0, high = 1;
  std::vector<Tic> tics;
  // Of what is on it, for the page's script: "ns", "count", "nines", "s", "%", "period" (seconds, told as hours and
  // days), "date" and the time that 0 stands for.
  std::string unit{};
};

// A value on the x axis that the reader must not miss: a line across the whole plot.
struct Mark {
  double x = 0;
  std::string label;
};

struct Plot {
  std::string kind;         // "histogram", "nines", "timeline", "cpus", "outliers", "load", "tail"
  std::string title;        // "npt under load: histogram"
  std::string description;  // for those who cannot see it
  std::string note;         // what to know when reading it; may be empty
  Axis x, y;
  std::vector<Series> series;
  std::vector<Mark> marks;
};

// The colours of series on white paper, told apart also by the colour-blind (after Okabe and Ito). The page replaces
// them by CSS variables of the same index, so that a dark page has its own.
inline constexpr const char* kPalette[] = {"#4b5563", "#0072b2", "#d55e00", "#009e73", "#b4508c",
                                           "#8a6d00", "#2b9bc9", "#8b4513", "#5f5fc4"};
inline constexpr unsigned kAllCpus = 0;                              // index of the series of all CPUs together
inline constexpr unsigned kFirstCpu = 1;                             // CPUs take the indices from here
inline constexpr size_t kFewCpus = std::size(kPalette) - kFirstCpu;  // so many are drawn one by one
inline constexpr const char* kGridColour = "#d9dde2";
inline constexpr const char* kMarkColour = "#b3261e";

}  // namespace maxlat::reports
