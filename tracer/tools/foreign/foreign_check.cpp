// SPDX-License-Identifier: MIT
// What CTF at large promises is little: that all of it can be read, in the order of time, and what it says was lost.
#include <fmt/format.h>

#include <algorithm>

#include "foreign_command.hpp"

namespace maxlat::trace_tools {

core::Result<core::Exit> check_foreign(const core::CommandLine& line, const std::vector<std::string>& folders) {
  return isolated(folders, [&](std::vector<std::string>&) -> core::Result<core::Exit> {
    std::uint64_t events = 0, packets = 0, streams = 0, lost = 0, missing = 0, back = 0;
    std::optional<std::int64_t> last_ns;
    ForeignSink sink;
    sink.event = [&](const ForeignEvent& event) {
      ++events;
      streams = std::max<std::uint64_t>(streams, event.stream->number + 1);
      if (event.time_ns && last_ns && *event.time_ns < *last_ns) ++back;
      if (event.time_ns) last_ns = event.time_ns;
      return true;
    };
    sink.packet = [&](const ForeignStream& stream) {
      ++packets;
      streams = std::max<std::uint64_t>(streams, stream.number + 1);
    };
    sink.loss = [&](const ForeignLoss& loss) { (loss.packets ? missing : lost) += loss.count.value_or(1); };
    const auto breaks = read_foreign(folders, sink);
    std::vector<std::string> findings;
    say_breaks(breaks, findings);
    if (back != 0) findings.push_back(fmt::format("{} events are from before the one before them", back));
    if (missing != 0) findings.push_back(fmt::format("{} packets are missing, by the numbers of the others", missing));
    if (!line.has("quiet")) {
      for (const std::string& finding : findings) fmt::print("{}\n", finding);
      fmt::print("traces {}  streams {}  packets {}\nrecorded {}  lost, as the packets say, {}\n", folders.size(),
                 streams, packets, events, lost);
      fmt::print("produced: not known, this tracer leaves no books\n");
    }
    return findings.empty() ? core::Exit::invalid : core::Exit::limit_exceeded;
  });
}

}  // namespace maxlat::trace_tools
