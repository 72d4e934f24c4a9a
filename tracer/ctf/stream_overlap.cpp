// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <maxlat/trace/packet_file.hpp>
#include <maxlat/trace/stream_overlap.hpp>
#include <tuple>
#include <utility>

namespace maxlat::trace {
namespace {

struct Beginning {
  std::uint64_t begin, end;  // of the first packet
  std::string file;
  bool operator<(const Beginning& other) const {
    return std::tie(begin, end, file) < std::tie(other.begin, other.end, other.file);
  }
};

}  // namespace

StreamOverlap::StreamOverlap(const std::vector<StoredProcess>& processes) {
  struct Part {
    const Uuid* uuid;
    std::string file;
  };
  std::map<std::pair<Uuid, std::string>, std::vector<Part>> streams;  // by trace and name
  for (const StoredProcess& process : processes) {
    const Uuid& uuid = process.description.uuid;
    for (const std::string& file : process.stream_files) {
      streams[{uuid, std::filesystem::path(file).filename().string()}].push_back({&uuid, file});
    }
  }
  for (const auto& [stream, parts] : streams) {
    if (parts.size() < 2) continue;
    std::vector<Beginning> beginnings;
    for (const Part& part : parts) {
      PacketFile packets(part.file, *part.uuid);
      if (packets.next()) beginnings.push_back({packets.head().begin_time, packets.head().end_time, part.file});
    }
    std::sort(beginnings.begin(), beginnings.end());
    for (std::size_t i = 1; i < beginnings.size(); ++i) begins_[beginnings[i - 1].file] = beginnings[i].begin;
  }
}

}  // namespace maxlat::trace
