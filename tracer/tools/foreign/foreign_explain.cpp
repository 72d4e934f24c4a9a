// SPDX-License-Identifier: MIT
//
// Who had a CPU, by the events of LTTng's kernel tracer: its clock is in nanoseconds, and so are the ticks here.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

#include "explain/interval_events.hpp"
#include "explain/traced_events.hpp"
#include "foreign_command.hpp"

namespace maxlat::trace_tools {
namespace {

class ForeignInterval {
 public:
  explicit ForeignInterval(const ExplainRequest& request)
      : request_(request),
        to_(static_cast<std::uint64_t>(request.to_ns)),
        events_(static_cast<std::uint64_t>(request.from_ns), to_, names_) {}

  // RETURNS: false: no more is needed.
  bool see(const ForeignEvent& event) {
    const auto cpu = foreign_number(event.event, "cpu_id");
    if (!cpu || !event.time_ns) return true;
    learn_name(event);
    seen_.insert(*cpu);
    const auto tick = static_cast<std::uint64_t>(*event.time_ns);
    if (*cpu != request_.cpu) return true;
    reaches_the_end_ = tick > to_;  // its own: another CPU's may have been written when this one's were not
    stream_ = event.stream->number;
    if (tick <= lost_until_) return true;
    tell_loss();
    add(event, tick);
    return tick <= to_;
  }
  // Somewhere between two times, of which the second is behind events that are there: all between them is unknown.
  void lose(const ForeignLoss& loss) {
    if (stream_ && loss.stream->number != *stream_) return;
    lost_until_ = loss.before_ns ? static_cast<std::uint64_t>(*loss.before_ns) : ~std::uint64_t{0};
  }

  core::Result<ExplainedInterval> explained() {
    if (!seen_.contains(request_.cpu))
      return core::Error{fmt::format("this trace has no event of CPU {}", request_.cpu),
                         seen_.empty() ? "none of its events says which CPU it is of"
                                       : fmt::format("it has those of {}", fmt::join(seen_, ", "))};
    if (!any_switch_)
      return core::Error{"this trace has no task switches of that CPU, without which nobody can be named",
                         "lttng enable-event --kernel sched_switch"};
    tell_loss();
    if (!reaches_the_end_) events_.end_early();
    return events_.explained(request_.thread, 1);
  }

 private:
  void learn_name(const ForeignEvent& event) {
    if (event.name != "lttng_statedump_process_state") return;
    const auto thread = foreign_field_number(event.event, "tid");
    const auto name = foreign_field_text(event.event, "name");
    if (thread && name) names_.threads[static_cast<std::int32_t>(*thread)] = *name;
  }

  void tell_loss() {
    if (lost_until_ == 0) return;
    events_.lose(std::min(lost_until_, to_));
    lost_until_ = 0;
  }

  void add(const ForeignEvent& event, std::uint64_t tick) {
    const TracedMeaning* const traced = meaning_in_trace(event.name);
    if (traced == nullptr) return;
    const auto number = [&](const std::optional<std::string>& name) {
      return name ? foreign_field_number(event.event, name->c_str()) : std::optional<std::int64_t>(0);
    };
    const auto id = number(traced->number), value = number(traced->value), priority = number(traced->priority);
    const auto text = traced->text ? foreign_field_text(event.event, traced->text->c_str()) : std::string();
    if (!id || !value || !priority || !text) return;
    attribution::KernelEvent one{
        .tick = tick,
        .value = static_cast<std::uint64_t>(*value),
        .number = static_cast<std::int32_t>(traced->number ? *id : static_cast<std::int64_t>(traced->meaning->use)),
        .priority = static_cast<std::int32_t>(*priority),
        .running = static_cast<std::int32_t>(foreign_number(event.event, "tid").value_or(running_)),
        .kind = traced->meaning->kind,
        .name = attribution::ShortName(*text)};
    if (one.kind == attribution::EventKind::task_switch) {
      running_ = one.number;
      any_switch_ = true;
    }
    events_.add(one);
  }

  const ExplainRequest request_;
  const std::uint64_t to_;
  TraceNames names_;
  IntervalEvents events_;
  std::set<std::int64_t> seen_;
  std::optional<std::size_t> stream_;  // of the CPU's events
  std::uint64_t lost_until_ = 0;       // 0: nothing is lost
  std::int32_t running_ = -1;          // by the last switch, where events do not tell: LTTng records every one
  bool any_switch_ = false, reaches_the_end_ = false;
};

}  // namespace

core::Result<core::Exit> explain_foreign(const ForeignRequest& request, const ForeignExplanation& text,
                                         const std::vector<std::string>& folders) {
  return isolated(folders, [&](std::vector<std::string>& say) -> core::Result<core::Exit> {
    const auto asked = request([&] { return foreign_first_ns(folders); });
    if (!asked) return asked.error();
    ForeignInterval interval(*asked);
    ForeignSink sink;
    sink.event = [&](const ForeignEvent& event) { return interval.see(event); };
    sink.loss = [&](const ForeignLoss& loss) { interval.lose(loss); };
    const std::vector<trace::TraceBreak> breaks = read_foreign(folders, sink);
    auto explained = interval.explained();
    if (!explained) return explained.error();
    for (const trace::TraceBreak& place : breaks) explained->breaks.push_back(place.why);
    const std::string answer = text(*asked, *explained);
    if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size() || std::fflush(stdout) != 0)
      return core::system_error("cannot write standard output", errno);
    say_breaks(breaks, say);
    return explained->is_whole() ? core::Exit::pass : core::Exit::invalid;
  });
}

}  // namespace maxlat::trace_tools
