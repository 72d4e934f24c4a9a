// SPDX-License-Identifier: MIT
#include "sensors/recording/list_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <utility>

#include "sensors/listed_fields.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::size_t kMostChannels = 256;  // whose books have room for certain on a disk that gets full
constexpr std::size_t kMostLate = 1 << 16;

// A broken program must not make a stream, which is a file, of each number it can think of.
std::uint32_t cpu_of(const sensors::ListedEvent& event) {
  static const std::uint32_t kLast = [] {
    const auto possible = core::parse_cpu_list(core::read_file("/sys/devices/system/cpu/possible").value_or(""));
    return possible && !possible->empty() ? possible->back() : UINT32_MAX;
  }();
  return event.cpu && *event.cpu <= kLast ? *event.cpu : UINT32_MAX;
}

}  // namespace

core::Result<trace::TraceWriter*> ListTraces::writer_of(const MergedLists::List& list) {
  std::unique_ptr<trace::TraceWriter>& writer = writers_[{list.program, list.pid}];
  if (writer) return writer.get();
  auto made = trace::TraceWriter::create(
      {.directory = directory_,
       .session = "sensors",
       .process = list.program,
       .pid = list.pid,
       .domain = "",
       .channels = kMostChannels,
       .say = [](const std::string& line) { core::tell("maxlat sensors record: {}\n", line); }});
  if (!made) return made.error();
  writer = *std::move(made);
  return writer.get();
}

// A group that is withdrawn and published again has other lists of the same names, and a file's name is a channel's. No
// name of a sensor has the letter #.
std::string ListTraces::take_name(const trace::TraceWriter* writer, const MergedLists::List& list) {
  std::string name = list.group + "." + list.list;
  const unsigned number = ++taken_[{writer, name}];
  if (number == 1) return name;
  name += fmt::format("#{}", number);
  core::tell("maxlat sensors record: another list of the name of {}: in the trace it is {}\n", list.name, name);
  return name;
}

core::Status ListTraces::add(const MergedLists& lists) {
  while (channels_.size() < lists.lists().size()) {
    const MergedLists::List& list = lists.lists()[channels_.size()];
    const auto writer = writer_of(list);
    if (!writer) return writer.error();
    const auto& types = lists.merge().types(channels_.size());
    Channel& channel = channels_.emplace_back();
    channel.writer = *writer;
    channel.number = channel.writer->add_channel(take_name(*writer, list), trace::StreamKind::cpu);
    channel.types = types.data();
    for (const trace::EventDescription& type : types)
      channel.ids.push_back(channel.writer->add_event(channel.number, type));
  }
  return {};
}

ListTraces::Stream& ListTraces::stream_of(Channel& channel, std::map<std::uint32_t, Stream>& streams,
                                          std::uint32_t cpu) {
  const auto [stream, is_new] = streams.try_emplace(cpu);
  if (is_new) stream->second.number = channel.writer->add_stream(channel.number, cpu);
  return stream->second;
}

void ListTraces::write_held(Channel& channel, std::uint64_t lost_behind) {
  if (channel.held) {
    Kept& event = *channel.held;
    Stream& stream = stream_of(channel, channel.streams, event.cpu);
    if (event.ticks < stream.last) {
      channel.late.push_back(std::move(event));
      if (channel.late.size() == kMostLate) write_late(channel);
    } else {
      stream.last = event.ticks;
      channel.writer->write(stream.number, event.id, event.ticks, event.payload);
    }
    if (lost_behind != 0) channel.writer->lose(stream.number, lost_behind);
  } else {
    channel.told.lost_full += lost_behind;
  }
  channel.held.reset();
}

void ListTraces::write(const sensors::MergedEvent& one) {
  Channel& channel = channels_[one.list];
  if (channel.has_events)
    write_held(channel, one.lost_before);
  else
    channel.told.lost_first += one.lost_before;
  const auto fields = fields_of(one.event);
  if (!fields) {
    ++channel.told.not_written;
    return;
  }
  channel.has_events = true;
  channel.held = {one.event.ticks,
                  cpu_of(one.event),
                  channel.ids[static_cast<std::size_t>(one.event.type - channel.types)],
                  {fields->begin(), fields->end()}};
}

void ListTraces::write_late(Channel& channel) {
  std::stable_sort(channel.late.begin(), channel.late.end(),
                   [](const Kept& a, const Kept& b) { return a.ticks < b.ticks; });
  std::map<std::uint32_t, Stream> streams;
  for (const Kept& late : channel.late)
    channel.writer->write(stream_of(channel, streams, late.cpu).number, late.id, late.ticks, late.payload);
  channel.late.clear();
}

void ListTraces::lose_at_end(std::size_t list, std::uint64_t events) {
  write_held(channels_[list], events);
}

void ListTraces::flush() {
  for (const auto& [program, writer] : writers_) writer->flush();
}

ListTotals ListTraces::finish() {
  ListTotals totals{.programs = writers_.size(), .lists = channels_.size()};
  for (Channel& channel : channels_) {
    write_held(channel, 0);
    write_late(channel);
    channel.writer->tell(channel.number, channel.told);
    totals.unreadable += channel.told.not_written;
  }
  for (const auto& [program, writer] : writers_) {
    const trace::RecordingReport report = writer->finish();
    totals.write_failed = totals.write_failed || report.write_failed;
    for (const trace::ChannelBooks& books : report.channels) {
      totals.recorded += books.recorded;
      totals.lost += books.produced - books.recorded - books.not_written;
    }
  }
  return totals;
}

}  // namespace maxlat::trace_tools
