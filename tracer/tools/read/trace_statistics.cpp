// SPDX-License-Identifier: MIT
#include "trace_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audit/recording_books.hpp"
#include "escape.hpp"
#include "thread_name_text.hpp"
#include "trace_losses.hpp"

namespace maxlat::trace_tools {
namespace {

// One row for each name, however many processes and channels have the event; and the row of each event type.
std::vector<std::size_t> make_rows(const trace::TraceReader& reader, std::vector<EventStatistics>& events) {
  std::vector<std::size_t> row_of_type;
  std::map<std::string, std::size_t> row_of_name;
  for (const trace::StoredProcess& process : reader.processes()) {
    for (const auto& [stream_id, channel] : process.description.channels) {
      for (const auto& [id, type] : channel.events) {
        row_of_type.resize(std::max(row_of_type.size(), type.number + 1));
        if (!reader.wants(type)) continue;
        const auto [found, is_new] = row_of_name.try_emplace(type.name, events.size());
        if (is_new) events.push_back({type.name, type.level, {}});
        row_of_type[type.number] = found->second;
      }
    }
  }
  return row_of_type;
}

std::string owner_text(const trace::TraceStream& stream) {
  return fmt::format("{} {}/{}{}{} {}", c_escaped(stream.process->name), stream.process->pid,
                     trace::is_of_cpu(stream.channel->kind) ? "cpu" : "", stream.owner, names_in_text(stream),
                     c_escaped(stream.channel_name));
}

std::string owner_json(const trace::TraceStream& stream) {
  const std::string names = stream.names.empty() ? "" : ",\"thread_names\":" + names_json(stream);
  return fmt::format("\"process\":\"{}\",\"pid\":{},\"{}\":{}{},\"channel\":\"{}\"", json_escaped(stream.process->name),
                     stream.process->pid, trace::is_of_cpu(stream.channel->kind) ? "cpu" : "tid", stream.owner, names,
                     json_escaped(stream.channel_name));
}

// RETURNS: how many events the books say were recorded, as far as there are books.
std::optional<std::uint64_t> count_lost(const trace::TraceReader& reader, TraceStatistics& statistics) {
  std::optional<std::uint64_t> recorded = 0;
  for (const trace::StoredProcess& process : reader.processes()) {
    const std::string& folder = process.description.folder;
    const auto books = read_books(folder);
    if (!books) statistics.breaks.push_back({folder + "/.books", 0, books.error().text});
    if (!books || books->empty()) recorded.reset();
    for (const StoredBooks& channel : books ? *books : std::vector<StoredBooks>{}) {
      if (recorded) *recorded += channel.count("recorded");
      for (const std::string& fate : kFates) {
        if (fate != "recorded") statistics.lost[fate] += channel.count(fate);
      }
      const double ticks = static_cast<double>(channel.count("delivery_max_ticks"));
      const double ns = ticks * 1e9 / static_cast<double>(process.description.time.frequency_hz);
      statistics.delivery_max_ns = std::max(statistics.delivery_max_ns, static_cast<std::uint64_t>(ns));
    }
    if (books && !books->empty()) continue;
    for (const auto& stream : reader.streams()) {
      if (stream->stream().process != &process.description) continue;
      statistics.lost["lost_full"] += stream->books().lost_full;
      statistics.lost["lost_wrap"] += stream->books().lost_wrap;
      statistics.lost["lost_big"] += stream->books().lost_big;
    }
  }
  return recorded;
}

}  // namespace

bool any_lost(const TraceStatistics& statistics) {
  return std::any_of(statistics.lost.begin(), statistics.lost.end(),
                     [](const auto& fate) { return fate.second != 0 && fate.first != "overwritten"; });
}

TraceStatistics count_events(trace::TraceReader& reader, bool whole_streams) {
  TraceStatistics statistics;
  const std::vector<std::size_t> row_of_type = make_rows(reader, statistics.events);
  std::vector<Series> streams(reader.streams().size());
  for (trace::RecordedEvent event; reader.next(event);) {
    statistics.all.add(event.time_ns, event.size);
    statistics.events[row_of_type[event.type->number]].series.add(event.time_ns, event.size);
    streams[event.stream->number].add(event.time_ns, event.size);
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const trace::StreamReader& stream = *reader.streams()[i];
    if (stream.books().packets == 0) continue;
    statistics.streams.push_back(
        {owner_text(stream.stream()), owner_json(stream.stream()), stream.books(), streams[i]});
  }
  statistics.breaks = reader.breaks();
  if (whole_streams) {
    for (trace::TraceBreak& missing : missing_by_books(reader)) statistics.breaks.push_back(std::move(missing));
  }
  const std::optional<std::uint64_t> recorded = count_lost(reader, statistics);
  if (statistics.breaks.empty()) return statistics;
  std::uint64_t read = 0;
  for (const auto& stream : reader.streams()) read += stream->books().records + stream->books().records_elsewhere;
  const bool known = whole_streams && reader.has_all_processes() && recorded && *recorded >= read;
  statistics.missing = known ? *recorded - read : TraceStatistics::kUnknown;
  return statistics;
}

}  // namespace maxlat::trace_tools
