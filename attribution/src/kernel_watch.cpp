// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/done_elsewhere.hpp>
#include <maxlat/attribution/kernel_symbols.hpp>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/attribution/reader_thread.hpp>
#include <maxlat/attribution/smi_windows.hpp>
#include <optional>
#include <span>
#include <utility>

#include "context.hpp"
#include "cpu_history.hpp"
#include "elsewhere/elsewhere_source.hpp"
#include "event_source.hpp"
#include "interference_ledger.hpp"
#include "monotonic_ticks.hpp"
#include "wakeups/late_wakeups.hpp"
#include "wakeups/wakeup_finder.hpp"

namespace maxlat::attribution {
namespace {

// The buffers hold a second; more often costs a CPU that is not measured, more seldom memory.
constexpr auto kReadEvery = std::chrono::milliseconds(50);
constexpr size_t kPacketsAtOnce = 64;
constexpr size_t kReadsOfOneTurn = 16;  // together twice what a buffer holds
// Of all CPUs together, up to 128 of them, 60 MB; of one 4 MB and what is read at once, and at least what a second of a
// busy one needs.
constexpr size_t kMostEvents = 1 << 20, kMostOfOneCpu = 1 << 16, kFewestOfOneCpu = 1 << 13;

struct WatchedHistory {
  WatchedHistory(const WatchPlan& plan, size_t most_events)
      : history(plan.gaps_kept, most_events),
        ledger(plan.ticks_per_ns),
        finder(plan.threads, is_of_a_child),
        wakeups(plan.gaps_kept, plan.ticks_per_ns) {}
  core::AskedGaps asked;
  std::vector<core::AskedGap> open;  // taken, and not accounted for yet
  bool is_read = false;              // to the end, in this turn
  uint64_t known_until = 0;          // its own events are all here
  CpuHistory history;
  ElsewhereTurns elsewhere;
  InterferenceLedger ledger;
  SmiWindows smis;
  bool end_is_told = false;
  WakeupFinder finder;  // of another program
  std::vector<Wakeup> found;
  LateWakeups wakeups;
};

// Why there is none, or what it lacks, for a person.
std::string not_told_by(const core::Result<ElsewhereSource>& elsewhere) {
  if (!elsewhere) return "what other CPUs do to these is not recorded: " + elsewhere.error().text;
  switch (elsewhere->sender_events()) {
    case 0:
      return "the sender of an interrupt is not told by this kernel (Linux 6.4 and later do)";
    case 1:
      return "the sender of an interrupt to several CPUs at once is not told by this kernel (Linux 6.6 and later do)";
    default:
      return "";
  }
}

class Watch final : public KernelWatch {
 public:
  Watch(const WatchPlan& plan, OpenedSource opened, core::Result<ElsewhereSource> elsewhere)
      : plan_(plan),
        source_(std::move(opened.source)),
        passed_over_(std::move(opened.passed_over)),
        not_told_(not_told_by(elsewhere)),
        done_elsewhere_(plan.cpus.size()),
        start_(base::read_both(CLOCK_MONOTONIC)),
        monotonic_(start_, plan.ticks_per_ns),
        counts_(core::read_machine_counts(plan.cpus)) {
    const size_t most_events = std::clamp(kMostEvents / plan_.cpus.size(), kFewestOfOneCpu, kMostOfOneCpu);
    for (size_t i = 0; i < plan_.cpus.size(); ++i)
      cpus_.push_back(std::make_unique<WatchedHistory>(plan_, most_events));
    if (elsewhere) elsewhere_.emplace(*std::move(elsewhere));
    reader_.start(
        [this] {
          if (damage_.empty()) (void)read_and_account();
          return false;
        },
        kReadEvery);
  }

  const char* backend() const override { return source_->backend(); }
  const std::string& passed_over() const override { return passed_over_; }
  const std::string& not_told() const override { return not_told_; }

  core::AskedGaps& gaps_of(unsigned cpu) override {
    const auto place = std::lower_bound(plan_.cpus.begin(), plan_.cpus.end(), cpu);
    return cpus_[static_cast<size_t>(place - plan_.cpus.begin())]->asked;
  }

  WatchResult finish() override {
    reader_.end();
    source_->stop();
    if (elsewhere_) elsewhere_->stop();
    while (damage_.empty() && !read_and_account()) continue;  // nothing is recorded any more: it ends
    WatchResult result{.start_monotonic_ns = start_.ns,
                       .events = source_->events(),
                       .lost = source_->lost(),
                       .lost_elsewhere = (elsewhere_ ? elsewhere_->lost() : 0) + unreadable_elsewhere_,
                       .machine = core::machine_change(counts_, core::read_machine_counts(plan_.cpus)),
                       .damage = damage_};
    const std::map<uint64_t, std::string> functions = close_and_name_functions();
    for (size_t i = 0; i < cpus_.size(); ++i) {
      result.cpus.push_back(told(cpus_[i]->history.largest(), functions));
      if (!cpus_[i]->ledger.has_begun()) continue;
      result.interference.push_back(cpus_[i]->ledger.told(plan_.cpus[i], functions));
      result.interference.back().wakeups = cpus_[i]->wakeups.told(start_.ticks, functions);
    }
    return result;
  }

 private:
  std::map<uint64_t, std::string> close_and_name_functions() {
    std::map<uint64_t, std::string> functions, senders;
    for (const auto& cpu : cpus_) {
      if (of_another_program()) cpu->ledger.end(base::read_both(CLOCK_MONOTONIC).ticks);
      cpu->ledger.close();
      cpu->history.name_smis_of(cpu->smis.windows());
      cpu->wakeups.name_smis_of(cpu->smis.windows());
      for (const uint64_t address : cpu->ledger.functions()) functions[address];
      for (const uint64_t address : cpu->wakeups.functions()) functions[address];
      for (const uint64_t address : cpu->wakeups.senders()) senders[address];
      for (const CpuHistory::Kept& kept : cpu->history.largest())
        for (const Part& part : kept.accounting.parts) {
          for (const uint64_t address : {part.function, part.waker_function})
            if (address != 0) functions[address];
          if (part.sender != 0) senders[part.sender];
        }
    }
    std::ifstream kallsyms("/proc/kallsyms"), again("/proc/kallsyms");
    name_functions(kallsyms, functions);
    name_callers(again, senders);
    std::erase_if(senders, [](const auto& sender) { return sender.second.empty(); });
    functions.merge(senders);
    return functions;
  }

  std::vector<AccountedGap> told(const std::vector<CpuHistory::Kept>& gaps,
                                 const std::map<uint64_t, std::string>& functions) const {
    std::vector<AccountedGap> all;
    for (const auto& [gap, accounting] : gaps) {
      AccountedGap& one = all.emplace_back(AccountedGap{gap.ticks, gap.end, {}});
      // The meter's own length, to which the parts add up.
      const double length_ns = static_cast<double>(gap.ticks) / (of_timer() ? 1 : plan_.ticks_per_ns);
      const double ns_per_tick = length_ns / static_cast<double>(accounting.to - accounting.from);
      for (const Part& part : accounting.parts)
        one.parts.push_back(told_part(part, static_cast<double>(part.ticks) * ns_per_tick, functions));
    }
    return all;
  }

  bool of_timer() const { return plan_.watched == Watched::timer; }
  bool of_another_program() const { return plan_.watched == Watched::another_program; }

  Interval interval_of(const core::AskedGap& gap, int32_t thread) const {
    const uint64_t end = ticks_at(gap.end);
    return {.from = end - (of_timer() ? monotonic_.length_of(gap.ticks) : gap.ticks),
            .to = end,
            .thread = thread,
            .around_at_most = static_cast<uint64_t>(kAroundAtMost_ns * plan_.ticks_per_ns),
            .ticks_per_ns = plan_.ticks_per_ns,
            .begins_asleep = of_timer(),
            .timer_is_due = of_timer()};
  }

  core::Result<bool> read_once(size_t index) {
    std::vector<KernelEvent>& events = cpus_[index]->history.events();
    const size_t before = events.size();
    core::Result<bool> all = source_->read(index, kPacketsAtOnce, events);
    if (of_another_program()) find_wakeups(*cpus_[index], std::span(events).subspan(before));
    sum_up(*cpus_[index], std::span(events).subspan(before));
    return all;
  }

  uint64_t ticks_at(uint64_t meters_time) const { return of_timer() ? monotonic_.at(meters_time) : meters_time; }

  void find_wakeups(WatchedHistory& cpu, std::span<const KernelEvent> events) {
    for (const KernelEvent& event : events) {
      const std::optional<Wakeup> wakeup = cpu.finder.see(event, monotonic_);
      const int32_t thread = cpu.finder.thread();
      if (thread != 0 && !cpu.ledger.has_begun()) cpu.ledger.begin(event.tick, thread);
      if (wakeup) cpu.found.push_back(*wakeup);
    }
  }

  // Behind the reading: of events that were recorded after the start it is then known, but for those of the moment in
  // which the meter says so.
  void sum_up(WatchedHistory& cpu, std::span<const KernelEvent> events) {
    const std::optional<uint64_t> begin = cpu.asked.begun(), end = cpu.asked.ended();
    if (begin && !cpu.ledger.has_begun()) cpu.ledger.begin(ticks_at(*begin), cpu.asked.thread());
    if (end && !std::exchange(cpu.end_is_told, true)) cpu.ledger.end(ticks_at(*end));
    cpu.ledger.see(events);
    for (const KernelEvent& event : events) cpu.smis.see(event);
  }

  // What other CPUs did is read last, so that all that it led to here is behind it. RETURNS: whether all was read.
  bool read_and_account() {
    for (const auto& cpu : cpus_) cpu->asked.take([&](const core::AskedGap& gap) { cpu->open.push_back(gap); });
    bool is_whole = true;
    for (size_t i = 0; i < cpus_.size() && damage_.empty(); ++i) is_whole = read(i) && is_whole;
    if (elsewhere_ && damage_.empty()) read_elsewhere();
    monotonic_.look(base::read_both(CLOCK_MONOTONIC));
    if (damage_.empty())
      for (const auto& cpu : cpus_) account_for_asked(*cpu);
    return is_whole;
  }

  // The gaps are taken before: when the buffer is then read to its end, all that was recorded in them is here ([A1]).
  bool read(size_t index) {
    WatchedHistory& cpu = *cpus_[index];
    cpu.is_read = false;
    for (size_t reads = 0; !cpu.is_read && reads < kReadsOfOneTurn; ++reads) {
      cpu.history.forget_old();
      const uint64_t began = maxlat_counter_plain();
      const core::Result<bool> all = read_once(index);
      if (!all) damage_ = all.error().text;
      if (!all) return false;
      cpu.is_read = *all;
      if (cpu.is_read) cpu.known_until = began;
      const std::vector<KernelEvent>& events = cpu.history.events();
      if (!events.empty()) cpu.known_until = std::max(cpu.known_until, events.back().tick);
    }
    return cpu.is_read;
  }

  void read_elsewhere() {
    const uint64_t began = maxlat_counter_plain();
    for (std::vector<KernelEvent>& of_cpu : done_elsewhere_) of_cpu.clear();
    const core::Result<bool> read = elsewhere_->read(done_elsewhere_);
    if (!read) ++unreadable_elsewhere_;
    const bool whole = read && *read;
    for (size_t i = 0; i < cpus_.size(); ++i)
      cpus_[i]->elsewhere.add({began, whole, cpus_[i]->known_until}, done_elsewhere_[i], cpus_[i]->history.events());
  }

  void account_for_asked(WatchedHistory& cpu) {
    for (const Wakeup& wakeup : cpu.found) cpu.wakeups.offer(wakeup, cpu.finder.thread(), cpu.history);
    cpu.found.clear();
    if (cpu.is_read) {
      for (const core::AskedGap& gap : cpu.open) cpu.history.account_for(gap, interval_of(gap, cpu.asked.thread()));
      cpu.open.clear();
    }
    cpu.history.forget_old();
  }

  const WatchPlan plan_;
  std::unique_ptr<EventSource> source_;
  const std::string passed_over_, not_told_;
  std::optional<ElsewhereSource> elsewhere_;
  uint64_t unreadable_elsewhere_ = 0;                     // turns in which it was; each counts as a lost event
  std::vector<std::vector<KernelEvent>> done_elsewhere_;  // in this turn
  const base::Moment start_;
  MonotonicTicks monotonic_;
  const core::MachineCounts counts_;  // before the meter
  std::vector<std::unique_ptr<WatchedHistory>> cpus_;
  std::string damage_;
  ReaderThread reader_;  // what is above is its own until it ends, but for `asked`
};

}  // namespace

core::Result<std::unique_ptr<KernelWatch>> KernelWatch::start(const WatchPlan& plan) {
  // First, for it takes longer on many CPUs, and what the measured ones record waits for a reader meanwhile.
  auto elsewhere = ElsewhereSource::open(plan.cpus);
  auto source = open_event_source(plan.backend, plan.cpus, plan.watched == Watched::another_program);
  if (!source) return source.error();
  return std::unique_ptr<KernelWatch>(std::make_unique<Watch>(plan, *std::move(source), std::move(elsewhere)));
}

}  // namespace maxlat::attribution
