// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/trace_tools/sensor_show.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::MapValue;

std::uint64_t count_in_cells(const MapValue& v) {
  std::uint64_t count = 0;
  for (const MapValue::Cell& cell : v.cells) count += cell.count;
  return count;
}

std::string map_line(const sensors::SensorFacts&, const sensors::SensorValue& value) {
  const auto& v = std::get<MapValue>(value);
  return fmt::format("n={}", count_in_cells(v)) + (v.outside != 0 ? fmt::format(" ({} outside of it)", v.outside) : "");
}

double mean_of(const MapValue::Cell& cell) {
  return static_cast<double>(cell.sum) / static_cast<double>(cell.count);
}

// A line for each row of cells, from above; a character for each column: how the mean there compares with the largest.
// Of more than fit so many together as leave these.
std::string map_details(const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
  constexpr std::uint64_t kRows = 25, kColumns = 80;
  constexpr std::string_view kShades = ".:-=+*#%@";
  const auto& v = std::get<MapValue>(value);
  const std::uint64_t tall = (v.y.cells + kRows - 1) / kRows, wide = (v.x.cells + kColumns - 1) / kColumns;
  const std::uint64_t rows = (v.y.cells + tall - 1) / tall, columns = (v.x.cells + wide - 1) / wide;
  std::vector<MapValue::Cell> shown(rows * columns);
  for (std::uint64_t i = 0; i < v.cells.size(); ++i) {
    MapValue::Cell& cell = shown[i / v.x.cells / tall * columns + i % v.x.cells / wide];
    cell.count += v.cells[i].count;
    cell.sum += v.cells[i].sum;
  }
  double most = 0;
  for (const MapValue::Cell& cell : shown)
    if (cell.count != 0) most = std::max(most, mean_of(cell));
  std::string text =
      fmt::format("    {}, from below; a mean of {} is {}\n", v.y.name, mean_text(most, facts.unit), kShades.back());
  for (std::uint64_t row = rows; row-- > 0;) {
    std::string line;
    for (std::uint64_t column = 0; column < columns; ++column) {
      const MapValue::Cell& cell = shown[row * columns + column];
      const double part = most > 0 && cell.count != 0 ? mean_of(cell) / most : 0;
      line += cell.count == 0 ? ' ' : kShades[static_cast<std::size_t>(part * static_cast<double>(kShades.size() - 1))];
    }
    text += fmt::format("    {:>16} |{}|\n", with_unit(v.y.low + row * tall * v.y.width, v.y.unit), line);
  }
  return text + fmt::format("    {:>16}  {}, from {}, {} a column\n", "", v.x.name, with_unit(v.x.low, v.x.unit),
                            with_unit(wide * v.x.width, v.x.unit));
}

// Cells that have something: column, row, count, sum.
nlohmann::ordered_json map_json(const sensors::SensorValue& value) {
  const auto& v = std::get<MapValue>(value);
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (std::uint64_t i = 0; i < v.cells.size(); ++i)
    if (v.cells[i].count != 0) cells.push_back({i % v.x.cells, i / v.x.cells, v.cells[i].count, v.cells[i].sum});
  const auto axis = [](const MapValue::Axis& a) -> nlohmann::ordered_json {
    return {{"name", a.name}, {"unit", a.unit}, {"low", a.low}, {"width", a.width}, {"cells", a.cells}};
  };
  return {{"x", axis(v.x)}, {"y", axis(v.y)}, {"cells", cells}, {"outside", v.outside}};
}

}  // namespace

// A monitoring system sees none: each cell would be a time series.
extern const SensorShow kMapShow{
    .kind = sensors::SensorKind::map,
    .line = map_line,
    .details = map_details,
    .json = map_json,
    .posts =
        [](const sensors::SensorValue& value) {
          const auto& v = std::get<MapValue>(value);
          return count_in_cells(v) + v.outside;
        },
};

}  // namespace maxlat::trace_tools
