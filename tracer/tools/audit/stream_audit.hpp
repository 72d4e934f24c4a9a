// SPDX-License-Identifier: MIT
//
// The part of the audit (trace_audit.hpp) that looks at one stream file.
#pragma once

#include <cstdint>
#include <maxlat/trace/packet_file.hpp>
#include <maxlat/trace/trace_description.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

class StreamAudit {
 public:
  // Packets that begin at `overlap` or later are in another file, too (trace/stream_overlap.hpp).
  StreamAudit(const trace::TraceProcess& process, const std::string& file, std::uint64_t overlap)
      : process_(process), packets_(file, process.uuid), overlap_(overlap) {}
  void run();

  std::uint64_t packets() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t records() const { return records_; }
  std::uint64_t records_twice() const { return records_twice_; }  // of them, in another file, too
  const maxlat_ring_packet& first() const { return first_; }      // both all zero when there was no packet
  const maxlat_ring_packet& last() const { return last_; }
  // At most kMost, and how many there were besides.
  const std::vector<std::string>& findings() const { return findings_; }
  std::uint64_t more_findings() const { return more_; }
  // Packets that should be there by the numbers of the others. In a flight recorder the newer replace the older: the
  // books say so.
  const std::vector<std::string>& holes() const { return holes_; }

 private:
  static constexpr std::size_t kMost = 10;

  void head(const maxlat_ring_packet& now);
  void records(const trace::TraceChannel& channel);
  std::string at(std::uint64_t offset, std::string_view text) const;
  void find(std::uint64_t offset, std::string_view text);

  const trace::TraceProcess& process_;
  trace::PacketFile packets_;
  std::uint64_t overlap_;
  maxlat_ring_packet first_{};
  maxlat_ring_packet last_{};
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t records_twice_ = 0;
  std::vector<std::string> findings_;
  std::uint64_t more_ = 0;
  bool more_unknown_ = false;  // of event types that no metadata has: it is not asked again
  bool ended_ = false;
  std::vector<std::string> holes_;
};

}  // namespace maxlat::trace_tools
