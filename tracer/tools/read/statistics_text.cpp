// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <climits>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "escape.hpp"
#include "trace_statistics.hpp"

namespace maxlat::trace_tools {
namespace {

std::string_view level_text(std::optional<trace::Level> level) {
  return level ? trace::kLevelNames[static_cast<std::size_t>(*level)] : "-";
}

double seconds(const Series& series) {
  return static_cast<double>(series.last_ns - series.first_ns) * 1e-9;
}

// Events a second over the time of the whole trace: rates of rows add up to that of the trace.
double rate(const Series& series, const TraceStatistics& statistics) {
  const double duration = seconds(statistics.all);
  return duration > 0 ? static_cast<double>(series.count) / duration : 0;
}

std::string rate_text(const Series& series, const TraceStatistics& statistics) {
  return seconds(statistics.all) > 0 ? fmt::format("{:.1f}", rate(series, statistics)) : "-";
}

// Only our own reader tells bytes.
std::string bytes_text(const Series& series) {
  return series.bytes == 0 && series.count != 0 ? "-" : std::to_string(series.bytes);
}

std::string gap_text(const Series& series) {
  return series.count < 2 ? "-" : core::latency_text(static_cast<double>(series.largest_gap_ns));
}

std::string gap_time_text(const Series& series, const TraceStatistics& statistics) {
  if (series.count < 2) return "-";
  return fmt::format("+{:.6f}s", static_cast<double>(series.largest_gap_at_ns - statistics.all.first_ns) * 1e-9);
}

std::string series_json(const Series& series, const TraceStatistics& statistics) {
  return fmt::format("\"events\":{},\"bytes\":{},\"per_s\":{:.3f},\"largest_gap_ns\":{},\"largest_gap_at_ns\":{}",
                     series.count, series.bytes, rate(series, statistics), series.largest_gap_ns,
                     series.largest_gap_at_ns);
}

std::string missing_json(const std::optional<std::uint64_t>& missing) {
  return missing == TraceStatistics::kUnknown ? "null" : std::to_string(missing.value_or(0));
}

}  // namespace

std::string text_of(const TraceStatistics& statistics) {
  core::TextTable events({"event", "#level", "#events", "#bytes", "#per second", "#largest gap", "#from"});
  for (const EventStatistics& event : statistics.events) {
    const Series& series = event.series;
    events.row({c_escaped(event.name), std::string(level_text(event.level)), std::to_string(series.count),
                bytes_text(series), rate_text(series, statistics), gap_text(series),
                gap_time_text(series, statistics)});
  }
  const Series& all = statistics.all;
  events.row({"all", "", std::to_string(all.count), bytes_text(all), rate_text(all, statistics), gap_text(all),
              gap_time_text(all, statistics)});

  using Columns = std::vector<std::string>;
  core::TextTable streams(statistics.by_cause
                              ? Columns{"stream", "#events", "#packets", "#bytes", "#lost: full", "#overrun",
                                        "#too big", "#largest gap", "#from"}
                              : Columns{"stream", "#events", "#packets", "#lost", "#largest gap", "#from"});
  for (const StreamStatistics& stream : statistics.streams) {
    const trace::StreamBooks& books = stream.books;
    std::vector<std::string> row = {stream.owner, std::to_string(stream.series.count), std::to_string(books.packets)};
    if (statistics.by_cause) row.push_back(std::to_string(books.bytes));
    row.push_back(std::to_string(books.lost_full));
    if (statistics.by_cause) row.push_back(std::to_string(books.lost_wrap));
    if (statistics.by_cause) row.push_back(std::to_string(books.lost_big));
    row.push_back(gap_text(stream.series));
    row.push_back(gap_time_text(stream.series, statistics));
    streams.row(std::move(row));
  }

  std::string lost;
  std::uint64_t lost_in_all = 0;
  for (const auto& [cause, count] : statistics.lost) {
    if (cause != "missing_packets") lost_in_all += count;  // of an unknown number of events
    if (count != 0) lost += fmt::format("{}{} {}", lost.empty() ? " (" : ", ", cause, count);
  }
  const std::string delivery = statistics.delivery_max_ns == 0
                                   ? "not recorded"
                                   : "at most " + core::latency_text(static_cast<double>(statistics.delivery_max_ns)) +
                                         " from an event to its file";
  std::string missing;
  if (statistics.missing == TraceStatistics::kUnknown)
    missing = "; more may be missing: a part of the trace is damaged";
  else if (statistics.missing)
    missing = fmt::format("; {} more are missing: a part of the trace is damaged", *statistics.missing);
  return fmt::format("{} events in {:.6f} s, {} lost{}{}\ndelivery: {}\n\n{}\n{}", all.count, seconds(all), lost_in_all,
                     lost.empty() ? "" : lost + ")", missing, delivery, events.text(UINT_MAX, ""),
                     streams.text(UINT_MAX, ""));
}

std::string json_of(const TraceStatistics& statistics) {
  const Series& all = statistics.all;
  std::string json = fmt::format("{{\"first_ns\":{},\"last_ns\":{},{},\"lost\":{{", all.first_ns, all.last_ns,
                                 series_json(all, statistics));
  const char* between = "";
  for (const auto& [cause, count] : statistics.lost) {
    json += fmt::format("{}\"{}\":{}", between, cause, count);
    between = ",";
  }
  json += fmt::format("}},\"damaged\":{},\"missing\":{},\"delivery_max_ns\":{},\n\"events_by_name\":[",
                      statistics.missing.has_value(), missing_json(statistics.missing),
                      statistics.delivery_max_ns == 0 ? "null" : std::to_string(statistics.delivery_max_ns));
  between = "\n";
  for (const EventStatistics& event : statistics.events) {
    json += fmt::format("{}{{\"event\":\"{}\",\"level\":\"{}\",{}}}", between, json_escaped(event.name),
                        level_text(event.level), series_json(event.series, statistics));
    between = ",\n";
  }
  json += "],\n\"streams\":[";
  between = "\n";
  for (const StreamStatistics& stream : statistics.streams) {
    const trace::StreamBooks& books = stream.books;
    const std::string lost = statistics.by_cause
                                 ? fmt::format("\"packet_bytes\":{},\"lost_full\":{},\"lost_wrap\":{},\"lost_big\":{}",
                                               books.bytes, books.lost_full, books.lost_wrap, books.lost_big)
                                 : fmt::format("\"lost\":{}", books.lost_full);
    json += fmt::format("{}{{{},\"packets\":{},{},{}}}", between, stream.owner_json, books.packets, lost,
                        series_json(stream.series, statistics));
    between = ",\n";
  }
  return json + "]}\n";
}

}  // namespace maxlat::trace_tools
