// SPDX-License-Identifier: MIT
#include "trace_losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "audit/recording_books.hpp"

namespace maxlat::trace_tools {
namespace {

const std::pair<const char*, const char*> kCauses[] = {{"lost_full", "buffer full"},
                                                       {"lost_wrap", "ring overrun by one still being written"},
                                                       {"lost_big", "larger than a sub-buffer"},
                                                       {"lost_no_ring", "thread without a ring"},
                                                       {"lost_frozen", "kept for a snapshot"},
                                                       {"unfinished", "thread died while writing"},
                                                       {"not_written", "not written"}};

}  // namespace

LossCounts counts_of(const trace::StreamLoss& loss) {
  return {{"lost_full", loss.full}, {"lost_wrap", loss.wrap}, {"lost_big", loss.big}};
}

std::string loss_text(const LossCounts& lost, std::uint64_t missing_packets) {
  std::uint64_t all = 0;
  std::string causes;
  for (const auto& [name, words] : kCauses) {
    const auto found = lost.find(name);
    if (found == lost.end() || found->second == 0) continue;
    all += found->second;
    causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", words, found->second);
  }
  std::string text;
  if (all != 0) text = fmt::format("{} event{} lost ({})", all, all == 1 ? "" : "s", causes);
  if (missing_packets == 0) return text;
  return text + fmt::format("{}{} packet{} missing", text.empty() ? "" : ", ", missing_packets,
                            missing_packets == 1 ? "" : "s");
}

std::vector<UntoldLoss> first_losses(const trace::TraceReader& reader) {
  std::vector<UntoldLoss> all;
  for (const trace::StoredProcess& process : reader.processes()) {
    const auto books = read_books(process.description.folder);
    if (!books) continue;
    for (const StoredBooks& channel : *books)
      if (const std::uint64_t lost = channel.count("lost_first"); lost != 0)
        all.push_back({&process.description, channel.channel, {{"lost_full", lost}}, true});
  }
  return all;
}

std::vector<UntoldLoss> untold_losses(const trace::TraceReader& reader, std::vector<trace::TraceBreak>& breaks) {
  std::vector<UntoldLoss> all;
  for (const trace::StoredProcess& process : reader.processes()) {
    const auto books = read_books(process.description.folder);
    if (!books) {
      breaks.push_back({process.description.folder + "/.books", 0, books.error().text});
      continue;
    }
    for (const StoredBooks& channel : *books) {
      LossCounts told;
      for (const auto& stream : reader.streams()) {
        if (stream->stream().process != &process.description || stream->stream().channel_name != channel.channel)
          continue;
        told["lost_full"] += stream->books().lost_full;
        told["lost_wrap"] += stream->books().lost_wrap;
        told["lost_big"] += stream->books().lost_big;
      }
      told["lost_frozen"] = told["lost_full"];  // packets know one word for both, and a channel has one of them
      told["lost_full"] += channel.count("lost_first");
      UntoldLoss untold{&process.description, channel.channel, {}};
      for (const auto& [name, words] : kCauses) {
        const std::uint64_t count = channel.count(name);
        if (count > told[name]) untold.lost[name] = count - told[name];
      }
      if (!untold.lost.empty()) all.push_back(std::move(untold));
    }
  }
  return all;
}

std::vector<trace::TraceBreak> missing_by_books(const trace::TraceReader& reader) {
  std::vector<trace::TraceBreak> missing;
  for (const trace::StoredProcess& process : reader.processes()) {
    const std::string& folder = process.description.folder;
    const auto& known = reader.breaks();
    const auto books = read_books(folder);
    if (!books ||
        std::any_of(known.begin(), known.end(), [&](const auto& b) { return b.file.starts_with(folder + "/"); }))
      continue;
    for (const StoredBooks& channel : *books) {
      std::uint64_t read = 0;
      for (const auto& stream : reader.streams()) {
        if (stream->stream().process == &process.description && stream->stream().channel_name == channel.channel)
          read += stream->books().records + stream->books().records_elsewhere;
      }
      const std::uint64_t recorded = channel.count("recorded");
      if (recorded > read)
        missing.push_back({folder + "/.books", 0,
                           fmt::format("{}: {} of the {} events that were recorded are in no file", channel.channel,
                                       recorded - read, recorded)});
    }
  }
  return missing;
}

bool overwritten(const trace::TraceProcess& process) {
  const auto books = read_books(process.folder);
  return books && std::any_of(books->begin(), books->end(),
                              [](const StoredBooks& channel) { return channel.count("overwritten") != 0; });
}

}  // namespace maxlat::trace_tools
