// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "foreign_command.hpp"

namespace maxlat::trace_tools {

core::Result<std::int64_t> foreign_first_ns(const std::vector<std::string>& folders) {
  std::int64_t first = 0;
  ForeignSink sink;
  sink.event = [&](const ForeignEvent& event) {
    first = event.time_ns.value_or(0);
    return false;
  };
  (void)read_foreign(folders, sink);  // what is broken is told when all of it is read
  return first;
}

core::Result<ForeignFilter> ForeignFilter::of(const core::CommandLine& line, const std::vector<std::string>& folders) {
  ForeignFilter filter;
  auto patterns = event_patterns(line);
  if (!patterns) return patterns.error();
  filter.patterns_ = *std::move(patterns);
  if (line.has("cpu")) filter.cpus_ = line.get<core::CpuListArgument>("cpu").cpus;
  if (line.has("thread")) {
    auto threads = parse_threads(line.get<std::string>("thread"));
    if (!threads) return threads.error();
    filter.threads_ = *std::move(threads);
  }
  const core::Status times = parse_times(
      line, [&] { return foreign_first_ns(folders); }, filter.begin_ns_, filter.end_ns_);
  if (!times) return times.error();
  return filter;
}

// By the context of the packet or of the event. With both CPUs and threads, either.
bool ForeignFilter::wants_owner(const ForeignEvent& event) {
  if (!cpus_ && !threads_) return true;
  bool wanted = false;
  if (cpus_) {
    const auto cpu = foreign_number(event.event, "cpu_id");
    wanted = cpu && *cpu >= 0 && core::contains(*cpus_, static_cast<unsigned>(*cpu));
  }
  if (threads_ && !wanted) {
    auto thread = foreign_number(event.event, "vtid");
    if (!thread) thread = foreign_number(event.event, "tid");
    wanted = thread && std::any_of(threads_->begin(), threads_->end(), [&](const ThreadRange& range) {
               return range.first <= *thread && *thread <= range.last;
             });
  }
  any_owner_ = any_owner_ || wanted;
  return wanted;
}

ForeignFilter::Answer ForeignFilter::ask(const ForeignEvent& event) {
  if (event.time_ns && *event.time_ns >= end_ns_) return Answer::end;
  if (!patterns_.empty() && !wanted_.contains(event.name)) {
    if (unwanted_.contains(event.name)) return Answer::leave;
    const std::string name(event.name);
    bool wanted = false;
    for (const std::string& pattern : patterns_) {
      if (!event_matches(pattern, name)) continue;
      matched_.insert(pattern);
      wanted = true;
    }
    (wanted ? wanted_ : unwanted_).insert(name);
    if (!wanted) return Answer::leave;
  }
  if ((event.time_ns && *event.time_ns < begin_ns_) || !wants_owner(event)) return Answer::leave;
  any_event_ = true;
  return Answer::take;
}

bool ForeignFilter::takes(const ForeignLoss& loss) const {
  return (!loss.before_ns || *loss.before_ns >= begin_ns_) && (!loss.after_ns || *loss.after_ns < end_ns_);
}

core::Status ForeignFilter::something_matched(std::vector<std::string>& say) const {
  for (const std::string& pattern : patterns_) {
    if (!matched_.contains(pattern))
      return core::Error{fmt::format("no event of this trace matches \"{}\"", pattern),
                         "maxlat trace stats lists them"};
  }
  if ((cpus_ || threads_) && !any_owner_)
    return core::Error{"no event of this trace says that it is of these CPUs or threads",
                       "they are told by the fields cpu_id, vtid and tid of its contexts"};
  const bool by_time =
      begin_ns_ != std::numeric_limits<std::int64_t>::min() || end_ns_ != std::numeric_limits<std::int64_t>::max();
  if (by_time && !any_event_) say.push_back(kNothingChosen);
  return {};
}

}  // namespace maxlat::trace_tools
