// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <map>

#include "foreign_command.hpp"
#include "read/escape.hpp"
#include "read/trace_statistics.hpp"

namespace maxlat::trace_tools {
namespace {

// Grows as events and streams turn up: the trace's metadata is not asked.
class ForeignCount {
 public:
  ForeignCount() { statistics_.by_cause = false; }

  void event(const ForeignEvent& event) {
    auto found = rows_.find(event.name);
    if (found == rows_.end()) {
      found = rows_.emplace(event.name, statistics_.events.size()).first;
      statistics_.events.push_back({std::string(event.name), {}, {}});
    }
    for (Series* series : {&statistics_.all, &statistics_.events[found->second].series, &row(*event.stream).series})
      series->add(event.time_ns.value_or(0), 0);
  }
  void packet(const ForeignStream& stream) { row(stream).books.packets += 1; }
  void loss(const ForeignLoss& loss) {
    const std::uint64_t count = loss.count.value_or(1);  // at the least
    if (!loss.packets) row(*loss.stream).books.lost_full += count;
    statistics_.lost[loss.packets ? "missing_packets" : "discarded"] += count;
  }
  TraceStatistics& statistics() { return statistics_; }

 private:
  StreamStatistics& row(const ForeignStream& stream) {
    while (statistics_.streams.size() <= stream.number) statistics_.streams.emplace_back();
    StreamStatistics& row = statistics_.streams[stream.number];
    if (row.owner.empty()) {
      row.owner = c_escaped(stream.trace) + " " + c_escaped(stream.name);
      row.owner_json =
          "\"trace\":\"" + json_escaped(stream.trace) + "\",\"stream\":\"" + json_escaped(stream.name) + "\"";
    }
    return row;
  }

  TraceStatistics statistics_;
  std::map<std::string, std::size_t, std::less<>> rows_;
};

}  // namespace

core::Result<core::Exit> count_foreign(const core::CommandLine& line, const std::vector<std::string>& folders) {
  return isolated(folders, [&](std::vector<std::string>& say) -> core::Result<core::Exit> {
    auto filter = ForeignFilter::of(line, folders);
    if (!filter) return filter.error();
    ForeignCount count;
    ForeignSink sink;
    sink.event = [&](const ForeignEvent& event) {
      const auto answer = filter->ask(event);
      if (answer == ForeignFilter::Answer::take) count.event(event);
      return answer != ForeignFilter::Answer::end;
    };
    sink.loss = [&](const ForeignLoss& loss) {
      if (filter->takes(loss)) count.loss(loss);
    };
    sink.packet = [&](const ForeignStream& stream) { count.packet(stream); };
    TraceStatistics& statistics = count.statistics();
    statistics.breaks = read_foreign(folders, sink);
    if (!statistics.breaks.empty()) statistics.missing = TraceStatistics::kUnknown;
    const std::string text = line.has("json") ? json_of(statistics) : text_of(statistics);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      return core::system_error("cannot write standard output", errno);
    const core::Status matched = filter->something_matched(say);
    say_breaks(statistics.breaks, say);
    if (!statistics.breaks.empty()) return core::Exit::invalid;
    if (!matched) return matched.error();
    return any_lost(statistics) ? core::Exit::invalid : core::Exit::pass;
  });
}

}  // namespace maxlat::trace_tools
