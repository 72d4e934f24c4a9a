// SPDX-License-Identifier: MIT
//
// sysjitter --raw, in the order of time or with --sort: a header, then a line for each interruption, of which the first
// number is when it ended and the last how long it was, both in nanoseconds. The memory does not depend on their
// number. A file is of one thread and does not tell its CPU; several of them, one behind the other, are taken as
// threads 0, 1 and so on.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
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

// The first and the last number of a line of whole numbers; false where it is not one of three or four.
bool take_interruption(std::string_view line, uint64_t& first, uint64_t& last) {
  int numbers = 0;
  const char *at = line.data(), *const end = line.data() + line.size();
  for (;;) {
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    const auto [behind, error] = std::from_chars(at, end, last);
    if (error != std::errc{} || (behind < end && *behind != ' ')) return false;
    if (numbers++ == 0) first = last;
    at = behind;
  }
  return numbers == 3 || numbers == 4;
}

class SysjitterThreads {
 public:
  core::Status take_header(std::string_view line) {
    if (line.starts_with(kSysjitterFirst)) {
      if (const core::Status whole = last_is_whole(); !whole) return whole;
      if (threads_.size() >= RawSamples::kMostCpus) return core::Error{"it has more threads than there are CPUs"};
      threads_.emplace_back();
    }
    if (threads_.empty()) return {};
    Thread& thread = threads_.back();
    const Labelled words = labelled(line.substr(1));
    if (words.label == "threshold") threshold_ = core::printable(words.rest);
    if (words.label == "not_kept") {  // of our own --raw
      const auto count = core::whole_number(words.rest);
      if (!count) return core::Error{in_quotes(words.rest) + " is not a count"};
      not_kept_ += *count;
    }
    if (words.label == "n_interruptions") {
      thread.told = core::whole_number(words.rest);
      if (!thread.told) return core::Error{in_quotes(words.rest) + " is not a count"};
    }
    if (words.label == "total_runtime" && words.rest.ends_with(" seconds")) {
      const auto seconds = decimal_number(words.rest.substr(0, words.rest.find(' ')));
      if (!seconds) return core::Error{in_quotes(words.rest) + " is no runtime"};
      thread.runtime_s = *seconds;
    }
    return {};
  }

  const char* take(uint64_t t_ns, uint64_t gap_ns) {
    if (threads_.empty()) return "the header, which begins with \"# cpu_mhz:\", is missing before it";
    ++threads_.back().seen;
    return samples_.record(static_cast<unsigned>(threads_.size() - 1), gap_ns, t_ns);
  }

  // Every interruption that the header of the last thread tells of was there.
  core::Status last_is_whole() const {
    if (threads_.empty()) return {};
    const Thread& thread = threads_.back();
    if (!thread.told) return core::Error{"the thread before it has no line \"# n_interruptions:\""};
    if (*thread.told == thread.seen) return {};
    return core::Error{fmt::format("{} of {} interruptions were there: is the file whole?", thread.seen, *thread.told)};
  }

  core::Result<core::RunResult> run() const {
    core::Phase phase = imported_phase("sysjitter", core::kNptKind, "sysjitter");
    phase.facts["samples"] =
        fmt::format("only what was longer than {}", threshold_.empty() ? "a threshold" : threshold_);
    if (const auto ns = core::parse_duration_ns(threshold_, core::kUnitNeeded))
      phase.facts[core::fact::kOnlyAbove] = fmt::format("{}ns", *ns);
    if (not_kept_ > 0) {
      phase.facts[core::fact::kNotKept] = fmt::format("{}", not_kept_);
      phase.warnings.push_back(fmt::format("{} more were seen and not kept: counts and rates are too low", not_kept_));
    }
    phase.per_cpu = samples_.results();
    if (phase.per_cpu.empty())
      return core::Error{fmt::format("sysjitter saw nothing longer than {}: that is no sample", threshold_)};
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
  struct Thread {
    std::optional<uint64_t> told;
    uint64_t seen = 0;
    double runtime_s = 0;
  };

  RawSamples samples_{1, true};
  std::vector<Thread> threads_;
  std::string threshold_;
  uint64_t not_kept_ = 0;
};

core::Result<core::RunResult> read_sysjitter(InputText& input, const ImportOptions&) {
  SysjitterThreads threads;
  uint64_t t_ns = 0, gap_ns = 0;
  while (const auto line = input.next_line()) {
    if (take_interruption(*line, t_ns, gap_ns)) {
      if (const char* wrong = threads.take(t_ns, gap_ns)) return in_line(input, wrong);
    } else if (line->starts_with('#')) {
      if (const core::Status taken = threads.take_header(*line); !taken) return in_line(input, taken.error().text);
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
