// SPDX-License-Identifier: MIT
//
// sysjitter --raw, in the order of time or with --sort: a header, then a line for each interruption, of which the first
// number is when it ended and the last how long it was, both in nanoseconds. The memory does not depend on their
// number. A file is of one thread and does not tell its CPU; several of them, one behind the other, are taken as
// threads 0, 1 and so on.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>
#include <vector>

#include "reading/imported_run.hpp"
#include "reading/raw_samples.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kSysjitterFirst = "# cpu_mhz:";

struct Interruption {
  uint64_t t_ns = 0, cycles = 0, ns = 0;
};

// The first and the last two numbers of a line of whole numbers; false where it is not one of three or four.
bool take_interruption(std::string_view line, Interruption& taken) {
  int numbers = 0;
  const char *at = line.data(), *const end = line.data() + line.size();
  for (;;) {
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    taken.cycles = taken.ns;
    const auto [behind, error] = std::from_chars(at, end, taken.ns);
    if (error != std::errc{} || (behind < end && *behind != ' ')) return false;
    if (numbers++ == 0) taken.t_ns = taken.ns;
    at = behind;
  }
  return numbers == 3 || numbers == 4;
}

// The thread whose file it is, and whether that agrees with itself, as far as rounding goes: sysjitter cuts off the
// megahertz, each length and, in cycles, the threshold; our own --raw rounds them.
class SysjitterThread {
 public:
  // "cpu_mhz: 2000", "threshold: 200ns" and what follows. ERRORS: no number where one belongs.
  core::Status take(const Labelled& words) {
    if (words.label == "# cpu_mhz") {
      const auto mhz = core::whole_number(words.rest);
      if (!mhz || *mhz == 0) return core::Error{in_quotes(words.rest) + " is no clock rate"};
      mhz_ = static_cast<double>(*mhz);
    } else if (words.label == "# threshold") {
      const auto ns = core::parse_duration_ns(words.rest, core::kUnitNeeded);
      if (!ns) return core::Error{in_quotes(words.rest) + " is no threshold"};
      threshold_ns = *ns;
    } else if (words.label == "# n_interruptions") {
      told_ = core::whole_number(words.rest);
      if (!told_) return core::Error{in_quotes(words.rest) + " is not a count"};
    } else if (words.label == "# total_interruption") {
      const bool in_cycles = words.rest.ends_with(" cycles");
      const auto total = decimal_number(words.rest.substr(0, words.rest.find(' ')));
      if (!total) return core::Error{in_quotes(words.rest) + " is no total"};
      (in_cycles ? told_cycles_ : told_s_) = *total;
    } else if (words.label == "# total_runtime" && words.rest.ends_with(" seconds")) {
      const auto seconds = decimal_number(words.rest.substr(0, words.rest.find(' ')));
      if (!seconds) return core::Error{in_quotes(words.rest) + " is no runtime"};
      runtime_s = *seconds;
    }
    return {};
  }

  // ERRORS: what is wrong with it. Otherwise nullptr, to be cheap.
  const char* take(const Interruption& taken) {
    ++seen_;
    const auto cycles = static_cast<double>(taken.cycles), ns = static_cast<double>(taken.ns);
    const double cycle_ns = 1000 / mhz_;
    sum_cycles_ += cycles;
    sum_ns_ += ns;
    if (!threshold_ns) return "the line \"# threshold:\" is missing before it";
    if (ns + cycle_ns + 2 < static_cast<double>(*threshold_ns)) return "it is shorter than the threshold";
    if (std::abs(cycles * cycle_ns - ns) > ns / mhz_ + cycle_ns + 2) return "its cycles do not fit its nanoseconds";
    return nullptr;
  }

  // Every interruption that the header tells of was there, and together they are as long as it says.
  core::Status is_whole() const {
    if (!threshold_ns) return core::Error{"the thread before it has no line \"# threshold:\""};
    if (!told_) return core::Error{"the thread before it has no line \"# n_interruptions:\""};
    if (*told_ != seen_)
      return core::Error{fmt::format("{} of {} interruptions were there: is the file whole?", seen_, *told_)};
    const auto rounding = static_cast<double>(seen_) + 1;
    if (told_cycles_ && std::abs(*told_cycles_ - sum_cycles_) > rounding + sum_cycles_ * 1e-9)
      return core::Error{
          fmt::format("its interruptions are {} cycles together, and it tells of {}", sum_cycles_, *told_cycles_)};
    if (told_s_ && std::abs(*told_s_ * 1e9 - sum_ns_) > rounding + sum_ns_ * 1e-6)
      return core::Error{
          fmt::format("its interruptions are {} s together, and it tells of {}", sum_ns_ / 1e9, *told_s_)};
    return {};
  }

  bool has_seen_any() const { return seen_ > 0; }

  std::optional<uint64_t> threshold_ns;
  double runtime_s = 0;

 private:
  double mhz_ = 1, sum_cycles_ = 0, sum_ns_ = 0;
  std::optional<uint64_t> told_;
  uint64_t seen_ = 0;
  std::optional<double> told_cycles_, told_s_;
};

class SysjitterThreads {
 public:
  core::Status take_header(std::string_view line) {
    if (line.starts_with(kSysjitterFirst)) {
      if (const core::Status whole = last_is_whole(); !whole) return whole;
      if (threads_.size() >= RawSamples::kMostCpus) return core::Error{"it has more threads than there are CPUs"};
      threads_.emplace_back();
    }
    if (threads_.empty()) return {};
    const Labelled words = labelled(line);
    if (words.label == "# not_kept") {  // of our own --raw
      const auto count = core::whole_number(words.rest);
      if (!count) return core::Error{in_quotes(words.rest) + " is not a count"};
      not_kept_ += *count;
    }
    if (const core::Status taken = threads_.back().take(words); !taken) return taken;
    const auto &first_ns = threads_.front().threshold_ns, &ns = threads_.back().threshold_ns;
    if (!ns || ns == first_ns) return {};
    return core::Error{fmt::format("its threshold is {} ns, and that of the first thread is {} ns", *ns, *first_ns)};
  }

  const char* take(const Interruption& taken) {
    if (threads_.empty()) return "the header, which begins with \"# cpu_mhz:\", is missing before it";
    if (const char* wrong = threads_.back().take(taken)) return wrong;
    return samples_.record(static_cast<unsigned>(threads_.size() - 1), taken.ns, taken.t_ns);
  }

  core::Status last_is_whole() const { return threads_.empty() ? core::Status{} : threads_.back().is_whole(); }

  core::Result<core::RunResult> run() const {
    core::Phase phase = imported_phase("sysjitter", core::kNptKind, "sysjitter");
    const uint64_t threshold_ns = threads_.empty() ? 0 : threads_.front().threshold_ns.value_or(0);
    phase.facts["samples"] = fmt::format("only what was longer than {}ns", threshold_ns);
    phase.facts[core::fact::kOnlyAbove] = fmt::format("{}ns", threshold_ns);
    if (not_kept_ > 0) {
      phase.facts[core::fact::kNotKept] = fmt::format("{}", not_kept_);
      phase.warnings.push_back(fmt::format("{} more were seen and not kept: counts and rates are too low", not_kept_));
    }
    phase.per_cpu = samples_.results();
    if (phase.per_cpu.empty())
      return core::Error{fmt::format("sysjitter saw nothing longer than {}ns: that is no sample", threshold_ns)};
    add_undisturbed(phase.per_cpu);
    bool all_told = true;
    for (core::CpuResult& cpu : phase.per_cpu) {
      cpu.exposure_s = threads_[cpu.cpu].runtime_s;
      all_told = all_told && cpu.exposure_s > 0;
      phase.duration_s = std::max(phase.duration_s, cpu.exposure_s);
    }
    phase.warnings.emplace_back(kThreadsForCpus);
    if (!all_told) phase.warnings.emplace_back(kExposureUnknown);
    return imported_run("sysjitter", {std::move(phase)});
  }

 private:
  // Threads that saw nothing above the threshold were watched, too.
  void add_undisturbed(std::vector<core::CpuResult>& per_cpu) const {
    for (size_t number = 0; number < threads_.size(); ++number)
      if (!threads_[number].has_seen_any()) per_cpu.emplace_back().cpu = static_cast<unsigned>(number);
    std::sort(per_cpu.begin(), per_cpu.end(), [](const auto& a, const auto& b) { return a.cpu < b.cpu; });
  }

  RawSamples samples_{1, true};
  std::vector<SysjitterThread> threads_;
  uint64_t not_kept_ = 0;
};

core::Result<core::RunResult> read_sysjitter(InputText& input, const ImportOptions&) {
  SysjitterThreads threads;
  Interruption taken;
  while (const auto line = input.next_line()) {
    if (take_interruption(*line, taken)) {
      if (const char* wrong = threads.take(taken)) return in_line(input, wrong);
    } else if (line->starts_with('#')) {
      if (const core::Status header = threads.take_header(*line); !header) return in_line(input, header.error().text);
    } else if (!line->empty()) {
      return in_line(input, in_quotes(*line) + " is no interruption of sysjitter");
    }
  }
  if (const core::Status whole = threads.last_is_whole(); !whole) return in_line(input, whole.error().text);
  return threads.run();
}

}  // namespace

extern const ImportDefinition kSysjitter{
    .name = "sysjitter",
    .made_by = "sysjitter --raw: every interruption",
    .recognises = [](std::string_view beginning) { return beginning.starts_with(kSysjitterFirst); },
    .read_lines = read_sysjitter};

}  // namespace maxlat::importing
