// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/interference.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::core {
namespace {

std::string share_text(double ns, double of_ns) {
  return of_ns > 0 ? fmt::format("{:.4f} %", 100 * ns / of_ns) : "-";
}

std::vector<std::string> cells_of(const InterferenceRow& row, const std::string& name, double watched_ns) {
  return {fmt::to_string(row.count), latency_text(row.ns), share_text(row.ns, watched_ns), latency_text(row.largest_ns),
          name};
}

}  // namespace

std::string interference_text(const CpuInterference& of_cpu, size_t most_rows, const std::string& line_start) {
  TextTable table({"#count", "#time", "#share", "#largest", "what the kernel ran"});
  const size_t by_name = of_cpu.rows.size() == most_rows + 1 ? of_cpu.rows.size() : most_rows;
  InterferenceRow rest;
  for (size_t i = 0; i < of_cpu.rows.size(); ++i) {
    const InterferenceRow& row = of_cpu.rows[i];
    if (i < by_name) {
      table.row(cells_of(row, name_of({.kind = row.kind, .name = row.name}), of_cpu.watched_ns));
      continue;
    }
    rest.count += row.count;
    rest.ns += row.ns;
    rest.largest_ns = std::max(rest.largest_ns, row.largest_ns);
  }
  if (of_cpu.rows.size() > by_name)
    table.row(cells_of(rest, fmt::format("{} others", of_cpu.rows.size() - by_name), of_cpu.watched_ns));
  return fmt::format("{}CPU {}: {} of {} idle or the meter's own\n", line_start, of_cpu.cpu,
                     share_text(of_cpu.undisturbed_ns, of_cpu.watched_ns), duration_text(of_cpu.watched_ns / 1e9)) +
         table.text(UINT_MAX, line_start);
}

}  // namespace maxlat::core
