// SPDX-License-Identifier: MIT
#include "read_filter.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <charconv>
#include <iterator>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/trace/trace_folder.hpp>

#include "moment_reader.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

core::Status every_pattern_has_events(const Words& patterns, const std::vector<trace::StoredProcess>& processes) {
  const std::set<std::string> names = trace::event_names(processes);
  for (const std::string& pattern : patterns) {
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return event_matches(pattern, name); })) {
      return core::Error{fmt::format("no event of this trace matches \"{}\"", pattern),
                         "maxlat trace stats lists them"};
    }
  }
  return {};
}

// Streams of these CPUs and of these threads. Nothing named: all streams.
core::Status set_streams(const core::CommandLine& line, trace::ReadOptions& options,
                         const std::shared_ptr<StreamChoice>& choice) {
  if (!line.has("cpu") && !line.has("thread")) return {};
  core::CpuList cpus;
  std::vector<ThreadRange> threads;
  if (line.has("cpu")) cpus = line.get<core::CpuListArgument>("cpu").cpus;
  if (line.has("thread")) {
    auto parsed = parse_threads(line.get<std::string>("thread"));
    if (!parsed) return parsed.error();
    threads = *std::move(parsed);
  }
  if (line.has("cpu")) choice->wanted = "CPU " + core::to_string(cpus);
  if (line.has("thread"))
    choice->wanted += (choice->wanted.empty() ? "thread " : " or thread ") + line.get<std::string>("thread");
  const auto wants_thread = [threads](std::uint32_t id) {
    return std::any_of(threads.begin(), threads.end(),
                       [id](ThreadRange range) { return range.first <= id && id <= range.last; });
  };
  options.wants_stream = [cpus, wants_thread, choice](const trace::TraceStream& stream) {
    const bool per_cpu = trace::is_of_cpu(stream.channel->kind);
    choice->seen.insert((per_cpu ? "CPU " : "thread ") + std::to_string(stream.owner));
    const bool wanted = per_cpu ? core::contains(cpus, stream.owner) : wants_thread(stream.owner);
    choice->any = choice->any || wanted;
    // Events that have their CPU with them are asked one by one.
    return wanted || (stream.channel->kind == trace::StreamKind::thread_with_cpu && !cpus.empty());
  };
  options.wants_cpu = [cpus, wants_thread, choice](const trace::TraceStream& stream, std::uint32_t cpu) {
    if (wants_thread(stream.owner)) return true;
    choice->seen.insert("CPU " + std::to_string(cpu));
    const bool wanted = core::contains(cpus, cpu);
    choice->any = choice->any || wanted;
    return wanted;
  };
  return {};
}

}  // namespace

core::Result<std::int64_t> first_time_of(const std::string& folder) {
  auto reader = trace::TraceReader::open(folder);
  if (!reader) return reader.error();
  trace::RecordedEvent first;
  return (*reader)->next(first) ? first.time_ns : 0;
}

bool event_matches(const std::string& pattern, const std::string& name) {
  const bool of_any = pattern.find(':') == std::string::npos && name.find(':') != std::string::npos;
  return fnmatch((of_any ? "*:" + pattern : pattern).c_str(), name.c_str(), 0) == 0;
}

// Not a list of CPUs: thread ids are larger than those may be.
core::Result<std::vector<ThreadRange>> parse_threads(std::string_view text) {
  std::vector<ThreadRange> ranges;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    const std::size_t dash = word.find('-');
    ThreadRange range{};
    const auto number = [](std::string_view digits, std::uint32_t& value) {
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return error == std::errc{} && end == digits.data() + digits.size();
    };
    const bool first = number(word.substr(0, dash), range.first);
    const bool last = dash == std::string_view::npos || number(word.substr(dash + 1), range.last);
    if (dash == std::string_view::npos) range.last = range.first;
    if (!first || !last || range.last < range.first) {
      return core::Error{fmt::format("--thread: \"{}\" is no list of thread ids", text), "for example 17,20-23"};
    }
    ranges.push_back(range);
    if (word.size() == text.size()) return ranges;
    text.remove_prefix(word.size() + 1);
  }
}

core::Status parse_times(const core::CommandLine& line, const std::function<core::Result<std::int64_t>()>& first_ns,
                         std::int64_t& begin_ns, std::int64_t& end_ns) {
  if (!line.has("begin") && !line.has("end")) return {};
  const auto first = first_ns();
  if (!first) return first.error();
  for (const auto& [name, bound] : {std::pair{"begin", &begin_ns}, std::pair{"end", &end_ns}}) {
    if (!line.has(name)) continue;
    const auto time = moment_option(line, name, *first);
    if (!time) return time.error();
    *bound = *time;
  }
  return {};
}

void add_filter_options(po::options_description& options) {
  auto add = options.add_options();
  add("event,e", core::argument<Words>("PATTERN[,..]")->composing(),
      "events PROVIDER:NAME, with * and ?, or NAME of any provider");
  add("cpu", core::argument<core::CpuListArgument>("CPUS"), "buffers of these CPUs");
  add("thread", core::argument("TIDS"), "buffers of these threads: 17,20-23");
  add("begin", core::argument("TIME"),
      "from TIME on: +1.5s from the first event, 12:53:05.25, 2026-11-24T12:53:05.25 (local time, or with Z or "
      "+01:00), "
      "or seconds since 1970");
  add("end", core::argument("TIME"), "to before TIME");
}

core::Result<std::string> the_trace(const core::CommandLine& line) {
  if (line.operands.size() == 1) return line.operands.front();
  return core::Error{line.operands.empty() ? "no trace given" : "more than one trace given",
                     "name the folder that was recorded to"};
}

core::Result<Words> event_patterns(const core::CommandLine& line) {
  Words patterns;
  if (!line.has("event")) return patterns;
  for (const std::string& word : line.get<Words>("event")) {
    Words parts;
    boost::split(parts, word, boost::is_any_of(","), boost::token_compress_on);
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(patterns),
                 [](const auto& part) { return !part.empty(); });
  }
  if (patterns.empty()) return core::Error{"--event: no pattern is given", "for example -e 'app:*'"};
  return patterns;
}

core::Status FilteredTrace::something_matched(bool any_event) const {
  constexpr std::size_t kMost = 8;
  if (streams->wanted.empty() || streams->any || streams->seen.empty()) {
    if (chosen && !any_event) core::tell("maxlat trace: {}\n", kNothingChosen);
    return {};
  }
  std::vector<std::string> there(streams->seen.begin(), streams->seen.end());
  const bool more = there.size() > kMost;
  there.resize(std::min(there.size(), kMost));
  return core::Error{"no buffer of this trace belongs to " + streams->wanted,
                     fmt::format("there are those of {}{}", fmt::join(there, ", "), more ? " ..." : "")};
}

core::Result<FilteredTrace> open_filtered(const core::CommandLine& line) {
  const auto folder = the_trace(line);
  if (!folder) return folder.error();
  trace::ReadOptions options;
  const auto streams = std::make_shared<StreamChoice>();
  if (const core::Status set = set_streams(line, options, streams); !set) return set.error();
  const core::Status times = parse_times(
      line, [&] { return first_time_of(*folder); }, options.begin_ns, options.end_ns);
  if (!times) return times.error();
  const auto given = event_patterns(line);
  if (!given) return given.error();
  const Words& patterns = *given;
  if (!patterns.empty()) {
    options.wants_event = [patterns = patterns](const trace::EventType& type) {
      return std::any_of(patterns.begin(), patterns.end(),
                         [&](const std::string& pattern) { return event_matches(pattern, type.name); });
    };
  }
  auto reader = trace::TraceReader::open(*folder, std::move(options));
  if (!reader) return reader.error();
  if (const core::Status found = every_pattern_has_events(patterns, (*reader)->processes()); !found) {
    return found.error();
  }
  const bool chosen = !reads_whole_streams(line) || line.has("begin") || !patterns.empty();
  return FilteredTrace{*std::move(reader), streams, chosen};
}

bool reads_whole_streams(const core::CommandLine& line) {
  return !line.has("cpu") && !line.has("thread") && !line.has("end");
}

core::Exit report_breaks(const std::vector<trace::TraceBreak>& breaks) {
  std::fflush(stdout);  // the order in which both are seen on a terminal
  for (const trace::TraceBreak& place : breaks) {
    core::tell("maxlat trace: {}: byte {}: {}\n", place.file, place.offset, place.why);
  }
  return breaks.empty() ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace maxlat::trace_tools
