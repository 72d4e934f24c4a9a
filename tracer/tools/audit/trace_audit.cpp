// SPDX-License-Identifier: MIT
#include "trace_audit.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <maxlat/trace/thread_names.hpp>

#include "metadata_audit.hpp"
#include "recording_books.hpp"
#include "stream_audit.hpp"

namespace maxlat::trace_tools {

std::string AuditTotals::fates_text() const {
  std::string text;
  for (const std::string& fate : kFates) {
    const auto found = fates.find(fate);
    if (found == fates.end() || found->second == 0) continue;
    const std::uint64_t count = found->second - (fate == "recorded" ? twice : 0);
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count, fate);
  }
  return text.empty() ? "nothing" : text;
}

void TraceAudit::stream(const trace::TraceProcess& process, const std::string& file, Channels& channels) {
  StreamAudit audit(process, file, overlap_.begins(file));
  audit.run();
  for (const std::string& finding : audit.findings()) find(finding);
  if (audit.more_findings() != 0) find(fmt::format("{}: and {} more findings", file, audit.more_findings()));
  const maxlat_ring_packet& last = audit.last();
  totals_.streams += 1;
  totals_.packets += audit.packets();
  totals_.bytes += audit.bytes();
  totals_.recorded += audit.records();
  totals_.twice += audit.records_twice();
  totals_.lost += last.lost_full + last.lost_wrap + last.lost_big;
  Channel& channel = channels[trace::channel_of_file(file)];
  if (audit.packets() != 0) {
    const std::string head(reinterpret_cast<const char*>(&audit.first()), sizeof audit.first());
    const auto [same, is_new] = channel.begins.emplace(head, file);
    if (!is_new) find(fmt::format("{}: the same stream as {}: its events are there twice", file, same->second));
  }
  channel.recorded += audit.records();
  channel.lost["lost_full"] += last.lost_full;
  channel.lost["lost_wrap"] += last.lost_wrap;
  channel.lost["lost_big"] += last.lost_big;
  channel.holes.insert(channel.holes.end(), audit.holes().begin(), audit.holes().end());
}

void TraceAudit::books(const std::string& folder, const std::map<std::string, std::uint64_t>& counts,
                       const std::string& name, const Channel& channel) {
  const StoredBooks books{name, counts};
  const std::uint64_t produced = books.count("produced");
  std::uint64_t sum = 0;
  std::string addends;
  for (const std::string& fate : kFates) {
    sum += books.count(fate);
    totals_.fates[fate] += books.count(fate);
    if (books.count(fate) != 0)
      addends += fmt::format("{}{} {}", addends.empty() ? "" : " + ", books.count(fate), fate);
  }
  totals_.produced += produced;
  if (sum != produced) {
    const bool fewer = sum < produced;
    find(fmt::format("{}: channel {}: {} events produced, and {} accounted for: {}; {} too {}", folder, name, produced,
                     sum, addends.empty() ? "none" : addends, fewer ? produced - sum : sum - produced,
                     fewer ? "few" : "many"));
  }
  if (books.count("recorded") != channel.recorded) {
    find(fmt::format("{}: channel {}: the books say {} events were recorded, and the files have {}", folder, name,
                     books.count("recorded"), channel.recorded));
  }
  if (books.count("overwritten") + books.count("not_written") == 0) find_holes(channel);
  for (const auto& [cause, lost] : channel.lost) {
    // Packets know one word for a ring that discards and for one that was frozen.
    const std::uint64_t told = books.count(cause) + (cause == "lost_full" ? books.count("lost_frozen") : 0);
    if (told < lost) {
      find(fmt::format("{}: channel {}: the books say {} {}, and the packets {}", folder, name, told, cause, lost));
    }
  }
}

void TraceAudit::thread_names(const std::string& folder) {
  const std::string path = folder + "/" + trace::kThreadNamesFile;
  std::ifstream file(path, std::ios::binary);
  if (!file) return;  // nobody knows the names, which is sound
  const std::size_t line = trace::wrong_thread_name_line(std::string{std::istreambuf_iterator<char>(file), {}});
  if (line != 0) find(fmt::format("{}, line {}: not \"ring RING tid N from N name ...\"", path, line));
}

void TraceAudit::process(const trace::StoredProcess& stored) {
  const trace::TraceProcess& process = stored.description;
  const auto all_books = read_books(process.folder);
  if (!all_books) find(all_books.error().text);
  totals_.processes += 1;
  if (!process.cut.empty()) find(process.folder + ": " + process.cut);
  for (std::string& finding : audit_metadata(process)) find(std::move(finding));
  thread_names(process.folder);
  Channels channels;
  for (const std::string& file : stored.stream_files) stream(process, file, channels);
  if (!all_books || all_books->empty()) {
    for (const auto& [name, channel] : channels) find_holes(channel);
    return;
  }
  totals_.processes_with_books += 1;
  for (const StoredBooks& channel : *all_books) {
    books(process.folder, channel.counts, channel.channel, channels[channel.channel]);
    channels.erase(channel.channel);
  }
  for (const auto& [name, channel] : channels) {
    find(fmt::format("{}: channel {}: {} events that are in no books", process.folder, name, channel.recorded));
  }
}

}  // namespace maxlat::trace_tools
