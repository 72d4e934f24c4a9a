// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/kernel_symbols.hpp>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/attribution/reader_thread.hpp>
#include <utility>

#include "elsewhere/elsewhere_source.hpp"
#include "event_source.hpp"
#include "watch/watch_turns.hpp"

namespace maxlat::attribution {
namespace {

// The buffers hold a second; more often costs a CPU that is not measured, more seldom memory.
constexpr auto kReadEvery = std::chrono::milliseconds(50);

// Why there is none, or what it lacks, for a person.
std::string not_told_by(const core::Result<ElsewhereSource>& elsewhere) {
  if (!elsewhere) return "what other CPUs do to these is not recorded: " + elsewhere.error().text;
  if (!elsewhere->tells_senders_to_one())
    return "the sender of an interrupt is not told by this kernel (Linux 6.4 and later do), and by kprobes neither: " +
           (elsewhere->why_no_probes().empty() ? "their filter is refused" : elsewhere->why_no_probes());
  if (!elsewhere->tells_senders_to_several())
    return "the sender of an interrupt to several CPUs at once is not told of all these CPUs by this kernel (Linux 6.6 "
           "and later do)";
  return "";
}

class Watch final : public KernelWatch {
 public:
  Watch(const WatchPlan& plan, OpenedSource opened, core::Result<ElsewhereSource> elsewhere)
      : plan_(plan),
        source_(std::move(opened.source)),
        passed_over_(std::move(opened.passed_over)),
        not_told_(not_told_by(elsewhere)),
        start_(base::read_both(CLOCK_MONOTONIC)),
        counts_(core::read_machine_counts(plan.cpus)) {
    if (elsewhere) elsewhere_.emplace(*std::move(elsewhere));
    WatchTurns::ReadElsewhere read_elsewhere;
    if (elsewhere_) read_elsewhere = [this](auto& done) { return elsewhere_->read(done); };
    turns_.emplace(plan_, *source_, std::move(read_elsewhere), start_,
                   WatchTurns::most_events_of_each(plan_.cpus.size()), is_of_a_child);
    reader_.start(
        [this] {
          (void)turns_->take();
          return false;
        },
        kReadEvery);
  }

  const char* backend() const override { return source_->backend(); }
  const std::string& passed_over() const override { return passed_over_; }
  const std::string& not_told() const override { return not_told_; }

  core::AskedGaps& gaps_of(unsigned cpu) override {
    const auto place = std::lower_bound(plan_.cpus.begin(), plan_.cpus.end(), cpu);
    return turns_->cpus()[static_cast<size_t>(place - plan_.cpus.begin())]->asked;
  }

  WatchResult finish() override {
    reader_.end();
    source_->stop();
    if (elsewhere_) elsewhere_->stop();
    while (turns_->damage().empty() && !turns_->take()) continue;  // nothing is recorded any more: it ends
    WatchResult result{.start_monotonic_ns = start_.ns,
                       .events = source_->events(),
                       .lost = source_->lost(),
                       .lost_elsewhere = (elsewhere_ ? elsewhere_->lost() : 0) + turns_->unreadable_elsewhere(),
                       .around = calibrate_around(),
                       .machine = core::machine_change(counts_, core::read_machine_counts(plan_.cpus)),
                       .damage = turns_->damage()};
    const std::map<uint64_t, std::string> functions = close_and_name_functions();
    for (size_t i = 0; i < plan_.cpus.size(); ++i) {
      const WatchedCpu& cpu = *turns_->cpus()[i];
      result.declined += cpu.asked.declined();
      result.cpus.push_back(told(cpu.history.largest(), functions));
      if (!cpu.ledger.has_begun()) continue;
      result.interference.push_back(cpu.ledger.told(plan_.cpus[i], functions));
      result.interference.back().wakeups = cpu.wakeups.told(start_.ticks, functions);
    }
    return result;
  }

 private:
  // Before SMIs are named: what turns out to be no way into the kernel may be one.
  AroundLimit calibrate_around() {
    AroundCalibration around;
    for (const auto& cpu : turns_->cpus()) {
      around.add(cpu->history.around());
      around.add(cpu->wakeups.around());
    }
    const AroundLimit limit = around_limit(around, switch_at_most_ns(plan_.watched), plan_.ticks_per_ns);
    const LongestWays longest = longest_ways(limit, plan_.ticks_per_ns);
    for (const auto& cpu : turns_->cpus()) {
      cpu->history.tighten_around_of_all(longest);
      cpu->wakeups.tighten_around_of_all(longest);
    }
    return limit;
  }

  std::map<uint64_t, std::string> close_and_name_functions() {
    std::map<uint64_t, std::string> functions, senders;
    for (const auto& cpu : turns_->cpus()) {
      if (plan_.watched == Watched::another_program) cpu->ledger.end(base::read_both(CLOCK_MONOTONIC).ticks);
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
    std::ifstream kallsyms("/proc/kallsyms");
    name_symbols(kallsyms, functions, senders);
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
      const bool is_in_ns = plan_.watched == Watched::timer;
      const double length_ns = static_cast<double>(gap.ticks) / (is_in_ns ? 1 : plan_.ticks_per_ns);
      const double ns_per_tick = length_ns / static_cast<double>(accounting.to - accounting.from);
      for (const Part& part : accounting.parts)
        one.parts.push_back(told_part(part, static_cast<double>(part.ticks) * ns_per_tick, functions));
    }
    return all;
  }

  const WatchPlan plan_;
  std::unique_ptr<EventSource> source_;
  const std::string passed_over_, not_told_;
  std::optional<ElsewhereSource> elsewhere_;
  const base::Moment start_;
  const core::MachineCounts counts_;  // before the meter
  std::optional<WatchTurns> turns_;
  ReaderThread reader_;  // source, elsewhere and turns are its own until it ends, but for what is asked for
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
