// SPDX-License-Identifier: MIT
#include "sensors/recording/sensors_recording.hpp"

#include <fmt/format.h>
#include <maxlat/base/counter.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "record/command_process.hpp"
#include "record/recording_folder.hpp"
#include "sensors/merged_lists.hpp"
#include "sensors/recording/event_watch.hpp"
#include "sensors/recording/list_traces.hpp"
#include "sensors/recording/recorded_values.hpp"
#include "sensors/recording/traced_sessions.hpp"

namespace maxlat::trace_tools {
namespace {

using Clock = std::chrono::steady_clock;

// Programs that come are looked for as often; in the first second of one that was started more often: what has ended
// before it was seen is not recorded.
constexpr auto kLookEvery = std::chrono::milliseconds(100);
constexpr auto kLookAtFirst = std::chrono::milliseconds(3);
constexpr auto kAtFirst = std::chrono::seconds(1);
constexpr auto kFlushEvery = std::chrono::milliseconds(500);

class SensorsRecording {
 public:
  explicit SensorsRecording(const SensorsRecordPlan& plan)
      : plan_(plan), lists_(kPatience), traces_(plan.directory), on_(plan.start_on.empty() && plan.dump_on.empty()) {
    if (!plan.session.empty()) sessions_.emplace(plan.directory, plan.session, plan.quiet);
  }

  core::Status start();
  // Until the command ends, or somebody or something stops it.
  core::Status record();
  core::Result<core::Exit> finish();
  bool has_begun() const { return begun_ || has_traced(); }
  // What was started is not left behind.
  void end_command();

 private:
  core::Status start_command();
  bool has_traced() const { return sessions_ && sessions_->any(); }
  core::Status look();
  core::Status take_up(ChosenSensors sensors);
  core::Status record_from_now_on(const std::shared_ptr<const ChosenSensors>& chosen);
  core::Status await_dump();
  core::Status look_where_it_is_time();
  bool is_over() {
    return core::stop_requested() || stopped_ || (plan_.duration_ns != 0 && Clock::now() >= end_) ||
           (command_ && command_->ended());
  }
  void take(const sensors::MergedEvent& one);
  void wait();
  core::Status write_result(const ListTotals& totals) const;
  // A dump is of what lists hold. What they could not take before is no loss of it.
  std::uint64_t refused_events() const { return plan_.dump_on.empty() ? values_.refused_events() : 0; }
  void report_losses(const ListTotals& totals, std::uint64_t refused) const;
  void report(const ListTotals& totals, std::uint64_t refused) const;

  const SensorsRecordPlan& plan_;
  std::optional<EventWatch>
      watch_;  // for --dump-on, until it has come; and the last looks, for a program may end with it
  std::shared_ptr<const ChosenSensors> last_, before_last_;
  MergedLists lists_;
  ListTraces traces_;
  RecordedValues values_;
  std::optional<TracedSessions> sessions_;
  std::optional<CommandProcess> command_;
  std::optional<StartedPrograms> started_programs_;
  std::string started_;  // the recording, by the wall clock
  std::uint64_t begin_ticks_ = 0;
  Clock::time_point begin_ = Clock::now(), end_, next_look_, next_flush_, at_first_until_;
  bool begun_ = false;    // something is in the folder
  bool is_first_ = true;  // look
  bool on_;               // events are recorded
  bool stopped_ = false;  // by one of them
  bool look_failed_ = false;
};

core::Status SensorsRecording::start() {
  started_ = core::utc_text();
  begin_ticks_ = maxlat_counter_plain();
  begin_ = next_look_ = next_flush_ = Clock::now();
  end_ = begin_ + std::chrono::nanoseconds(plan_.duration_ns);
  if (!plan_.dump_on.empty()) watch_.emplace(plan_.dump_on, begin_ticks_);
  if (plan_.command.empty()) {
    // Whoever names what is not there is told so.
    auto chosen = choose_sensors(plan_.patterns, Looks::again);
    if (!chosen) return chosen.error();
    for (const std::string& event : {plan_.start_on, plan_.stop_on, plan_.dump_on})
      if (!event.empty() && !have_event(*chosen, event))
        core::tell("maxlat sensors record: no list has an event \"{}\" now; it may be of a program that comes\n", event);
    return take_up(*std::move(chosen));
  }
  if (const core::Status started = start_command(); !started) return started;
  started_programs_.emplace(command_->pid());
  at_first_until_ = Clock::now() + kAtFirst;
  return look();
}

core::Status SensorsRecording::start_command() {
  std::pair<std::string, std::string> variable;
  if (sessions_) {
    auto calls = sessions_->await_calls();
    if (!calls) return calls.error();
    variable = *std::move(calls);
  }
  auto command = CommandProcess::start(plan_.command, variable);
  if (!command) return command.error();
  command_.emplace(std::move(*command));
  return {};
}

core::Status SensorsRecording::look() {
  auto sensors = started_programs_ ? started_programs_->sensors_now(plan_.patterns) : sensors_now(plan_.patterns);
  if (sensors) return take_up(*std::move(sensors));
  // The lists that are known already are read on.
  if (!std::exchange(look_failed_, true)) core::tell("maxlat sensors record: {}\n", sensors.error().text);
  return {};
}

core::Status SensorsRecording::take_up(ChosenSensors sensors) {
  auto chosen = std::make_shared<const ChosenSensors>(std::move(sensors));
  if (sessions_) sessions_->look(*chosen);
  if (!watch_) return record_from_now_on(chosen);
  watch_->look(*chosen);
  before_last_ = std::exchange(last_, std::move(chosen));
  return {};
}

core::Status SensorsRecording::record_from_now_on(const std::shared_ptr<const ChosenSensors>& chosen) {
  lists_.look(*chosen);
  using Since = RecordedValues::Since;
  values_.look(chosen, !plan_.dump_on.empty()   ? Since::ever
                       : !is_first_ || command_ ? Since::begin_of_programs
                                                : Since::now);
  is_first_ = false;
  begun_ = begun_ || !lists_.lists().empty();
  return traces_.add(lists_);
}

void SensorsRecording::take(const sensors::MergedEvent& one) {
  const auto is = [&](const std::string& pattern) { return is_awaited(one.event, pattern, begin_ticks_); };
  if (stopped_) return;
  if (!on_ && is(plan_.start_on)) {
    on_ = true;
    values_.begin_anew();
    started_ = core::utc_text();
    begin_ = Clock::now();
  }
  if (!on_) return;
  traces_.write(one);
  stopped_ = is(plan_.stop_on);
}

void SensorsRecording::wait() {
  auto until = std::min(next_look_, Clock::now() + std::chrono::nanoseconds(plan_.period_ns));
  if (plan_.duration_ns != 0) until = std::min(until, end_);
  std::vector<pollfd> all = {{core::stop_fd(), POLLIN, 0}, {command_ ? command_->pidfd() : -1, POLLIN, 0}};
  const auto mine = static_cast<std::ptrdiff_t>(all.size());
  if (sessions_) {
    const std::vector<pollfd> theirs = sessions_->watched();
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  core::poll_until(all, until);
  if (sessions_) sessions_->take({all.begin() + mine, all.end()});
}

core::Status SensorsRecording::look_where_it_is_time() {
  const auto now = Clock::now();
  if (now < next_look_) return {};
  const std::size_t before = values_.size();
  if (const core::Status looked = look(); !looked) return looked;
  // Where one group of a program is, more may be coming.
  if (values_.size() == before) next_look_ = now + (now < at_first_until_ ? kLookAtFirst : kLookEvery);
  return {};
}

// Then everything is read from the beginning of what there is, and was there at the last looks: before each of them it
// was known that the event had not come.
core::Status SensorsRecording::await_dump() {
  while (!(on_ = watch_->has_come()) && !is_over()) {
    if (const core::Status looked = look_where_it_is_time(); !looked) return looked;
    wait();
  }
  on_ = on_ || watch_->has_come();  // the last one of a program that has ended
  watch_.reset();
  for (const auto& chosen : {before_last_, last_})
    if (chosen != nullptr)
      if (const core::Status taken = record_from_now_on(chosen); !taken) return taken;
  return {};
}

core::Status SensorsRecording::record() {
  const auto take_one = [this](const sensors::MergedEvent& one) { take(one); };
  if (watch_)
    if (const core::Status awaited = await_dump(); !awaited) return awaited;
  while (plan_.dump_on.empty() && !is_over()) {
    const auto now = Clock::now();
    if (const core::Status looked = look_where_it_is_time(); !looked) return looked;
    lists_.round(take_one);
    if (now >= next_flush_) {
      traces_.flush();
      next_flush_ = now + kFlushEvery;
    }
    wait();
  }
  if (const core::Status looked = look(); !looked) return looked;
  if (sessions_) sessions_->end();
  lists_.finish(take_one);
  if (on_ && !stopped_)
    for (std::size_t list = 0; list < lists_.lists().size(); ++list)
      traces_.lose_at_end(list, lists_.merge().lost_since_last(list));
  return {};
}

core::Status SensorsRecording::write_result(const ListTotals& totals) const {
  core::RunResult run = core::run_frame("sensors-record", started_);
  core::say_machine(run, core::MachineView{});
  run.phases = values_.phases(started_, std::chrono::duration<double>(Clock::now() - begin_).count());
  core::Phase& rest = run.phases.back();
  if (totals.lists != 0 || has_traced()) {
    rest.events = sessions_ ? sessions_->counts() : core::EventCounts{};
    rest.events->produced += totals.recorded + totals.lost;
    rest.events->recorded += totals.recorded;
    rest.events->lost_full += totals.lost;
  }
  return core::write_run(plan_.directory + "/result.json", run);
}

void SensorsRecording::report_losses(const ListTotals& totals, std::uint64_t refused) const {
  sensors::EventBooks all;
  for (std::size_t list = 0; list < lists_.lists().size(); ++list) {
    const sensors::EventBooks books = lists_.merge().books(list);
    all.overwritten += books.overwritten;
    all.dropped += books.dropped;
    all.unfinished += books.unfinished;
  }
  // The lists tell how many were lost between the two events, not how.
  const bool is_part = !plan_.start_on.empty() || !plan_.stop_on.empty();
  const std::pair<std::uint64_t, const char*> losses[] = {
      {is_part ? totals.lost : 0, "lost (longer lists, shorter --period)"},
      {is_part ? 0 : all.overwritten, "overwritten before they were read (longer lists, shorter --period)"},
      {is_part ? 0 : all.dropped, "dropped by their program"},
      {is_part ? 0 : all.unfinished, "not ended in time"},
      {refused, "refused: larger than their lists take"},
      {totals.unreadable, "not to be read: of no type that the list has, or without all their fields"}};
  for (const auto& [count, how] : losses)
    if (count != 0) core::tell("maxlat sensors record: {} {}\n", core::counted(count, "event"), how);
}

void SensorsRecording::report(const ListTotals& totals, std::uint64_t refused) const {
  report_losses(totals, refused);
  if (totals.write_failed) core::tell("maxlat sensors record: not everything could be written\n");
  if (!on_)
    core::tell("maxlat sensors record: no event was \"{}\": none was recorded\n", plan_.start_on + plan_.dump_on);
  if (plan_.quiet) return;
  if (values_.with_numbers() != 0)
    core::tell("maxlat sensors record: {} had the name of another: in result.json its name has the process, PROGRAM#PID\n",
               core::counted(values_.with_numbers(), "sensor"));
  core::tell("maxlat sensors record: {} of {}, {}, in {}\n", core::counted(totals.recorded, "event"),
             core::counted(totals.lists, "list"), core::counted(values_.size(), "sensor"), plan_.directory);
}

void SensorsRecording::end_command() {
  if (command_ && !command_->end())
    core::tell("maxlat sensors record: process {} goes on, unrecorded\n", command_->pid());
}

core::Result<core::Exit> SensorsRecording::finish() {
  const bool ended_by_itself = command_ && command_->ended() && !core::stop_requested() && !stopped_;
  end_command();
  if (command_ && command_->failure())
    core::tell("maxlat sensors record: {} {}\n", plan_.command.front(), *command_->failure());
  if (values_.size() == 0 && !has_traced())
    return core::Error{
        "nothing was recorded: there was no sensor",
        command_ ? "is " + plan_.command.front() + " linked with maxlat's tracer, and did it run for a moment?"
                 : "`maxlat sensors list` shows which there are",
        core::Exit::invalid};
  const ListTotals totals = traces_.finish();
  if (const core::Status written = write_result(totals); !written) return written.error();
  begun_ = true;
  const std::uint64_t refused = refused_events();
  report(totals, refused);
  const bool all_traced = !sessions_ || sessions_->report();
  if (totals.lost != 0 || refused != 0 || totals.unreadable != 0 || totals.write_failed || !on_ || !all_traced)
    return core::Exit::invalid;
  return ended_by_itself ? core::Exit{command_->exit_status()} : core::Exit::pass;
}

}  // namespace

core::Result<core::Exit> record_sensors(const SensorsRecordPlan& plan) {
  RecordingFolder folder;
  if (const core::Status prepared = folder.prepare(plan.directory); !prepared) return prepared.error();
  signal(SIGXFSZ, SIG_IGN);  // a file too large is an error of write()
  core::catch_stop_signals();
  SensorsRecording recording(plan);
  const core::Status started = recording.start();
  const core::Status recorded = started ? recording.record() : started;
  if (!recorded) recording.end_command();
  auto exit = recorded ? recording.finish() : core::Result<core::Exit>(recorded.error());
  if (recording.has_begun()) folder.is_used();
  return exit;
}

}  // namespace maxlat::trace_tools
