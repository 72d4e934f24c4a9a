// SPDX-License-Identifier: MIT
//
// Holds a trace against everything it promises, packet by packet and record by record, and against the books of who
// recorded it. What it finds is wrong with the trace or with the tracer; nothing here is a matter of taste.
//
//   file     whole packets to its end, all of one stream; sequence numbers from 0 without a hole,
//            unless the books say that packets were overwritten
//   packet   begin <= end, not before the end of the packet before it; as many records as it says; events_discarded the
//            sum of its causes, and no cause ever less than in the packet before
//   record   of an event that the metadata has, with all its fields and less than 8 bytes after them; time within the
//            packet and not before the record before it
//   metadata types as our writer declares them: others go by that
//   names    whole lines, but for the last
//   books    produced = recorded + lost, by cause; recorded = what is in the files; losses no less than packets tell
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/reader.hpp>
#include <maxlat/trace/stream_overlap.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct AuditTotals {
  std::uint64_t processes = 0;
  std::uint64_t streams = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t recorded = 0;
  std::uint64_t lost = 0;                      // as the packets tell
  std::uint64_t twice = 0;                     // of those recorded, in the next snapshot, too
  std::uint64_t produced = 0;                  // as the books tell
  std::map<std::string, std::uint64_t> fates;  // as the books tell, by their names (recording_books.hpp)
  std::uint64_t processes_with_books = 0;

  std::uint64_t events() const { return recorded - twice; }
  std::uint64_t events_produced() const { return produced - twice; }
  // "210 recorded + 25593 lost_full": what was produced, and what became of it; each event once
  std::string fates_text() const;
};

class TraceAudit {
 public:
  // `processes`: all that will be looked at.
  explicit TraceAudit(const std::vector<trace::StoredProcess>& processes) : overlap_(processes) {}

  void process(const trace::StoredProcess& stored);
  // A process that cannot be read at all.
  void unreadable(const trace::TraceBreak& process) { find(process.file + ": " + process.why); }

  const AuditTotals& totals() const { return totals_; }
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  struct Channel {  // what its files hold
    std::uint64_t recorded = 0;
    std::map<std::string, std::uint64_t> lost;  // by cause
    std::vector<std::string> holes;             // each a finding, unless packets were overwritten or not written
    std::map<std::string, std::string> begins;  // files, by the head of their first packet: two of one stream have one
  };
  using Channels = std::map<std::string, Channel>;

  void stream(const trace::TraceProcess& process, const std::string& file, Channels& channels);
  void books(const std::string& folder, const std::map<std::string, std::uint64_t>& counts, const std::string& name,
             const Channel& channel);
  void thread_names(const std::string& folder);
  void find_holes(const Channel& channel) {
    findings_.insert(findings_.end(), channel.holes.begin(), channel.holes.end());
  }
  void find(std::string text) { findings_.push_back(std::move(text)); }

  trace::StreamOverlap overlap_;
  AuditTotals totals_;
  std::vector<std::string> findings_;
};

}  // namespace maxlat::trace_tools
