// SPDX-License-Identifier: MIT
//
// What cyclictest prints: its status lines ("T: 0 ( 9415) P:95 I:200 C: 2000 Min: 19 Act: 24 Avg: 25 Max: 128"), of
// which the last of each thread counts, and the histogram of -h, -H and --histfile with the totals below it. Either may
// be missing.
//
// Status lines tell interval and cycles, so that the exposure is known; the histogram alone does not. -H adds a column
// that is the sum of all threads, and is left out. The unit is the microsecond, unless -N was given, which the text
// does not tell: then the user has to (--unit ns). Below all of it stands what -b ended at, where it did.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>

#include "formats/cyclictest_agreement.hpp"
#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kCyclictestTitle = "# Histogram", kBreakValue = "# Break value:";

struct CyclictestStatus {
  uint64_t interval_us = 0, cycles = 0;
  double min = 0, mean = 0, max = 0;
};

// Where a status line begins: behind what moves a terminal's cursor. npos: it is none.
size_t status_at(std::string_view line) {
  const size_t at = line.find("T:");
  return at != line.npos && line.find(" P:", at) != line.npos && line.find(" C:", at) != line.npos ? at : line.npos;
}

std::optional<CyclictestStatus> status_of(std::string_view line) {
  const auto interval = number_after(line, " I:"), cycles = number_after(line, " C:");
  const auto min = number_after(line, " Min:"), mean = number_after(line, " Avg:"), max = number_after(line, " Max:");
  if (!interval || !cycles || !min || !mean || !max) return std::nullopt;
  return CyclictestStatus{*interval, *cycles, static_cast<double>(*min), static_cast<double>(*mean),
                          static_cast<double>(*max)};
}

// The histogram: a row for each value, a column for each thread, and the totals.
class CyclictestHistogram {
 public:
  // ERRORS: what is wrong with the line.
  core::Status take_row(std::string_view line) {
    const auto value = core::whole_number(take_word(line));
    if (!value) return core::Error{"a row of the histogram begins with no number"};
    rows_.push_back({static_cast<double>(*value), {}});
    return take_counts(line, rows_.back().second);
  }

  // "# Min Latencies: 00013 00011"; others are of no interest.
  core::Status take_total(std::string_view line) {
    const Labelled words = labelled(line.substr(1));
    for (auto& [label, values] : totals_)
      if (label == words.label)
        return values.empty() ? take_counts(words.rest, values) : core::Error{"it is there twice"};
    return {};
  }

  bool has_begun() const { return !rows_.empty(); }
  // ERRORS: the histogram was cut off; its lines have different numbers of threads.
  core::Result<std::vector<ForeignHistogram>> by_thread(double unit_ns) const {
    for (const auto& [label, values] : totals_)
      if (values.empty()) return core::Error{fmt::format("it has no line \"# {}:\": is it whole?", label)};
    const size_t threads = of("Min Latencies").size();
    for (const auto& [label, values] : totals_)
      if (values.size() < threads) return core::Error{fmt::format("\"# {}:\" is not of {} threads", label, threads)};
    std::vector<ForeignHistogram> histograms;
    for (size_t thread = 0; thread < threads; ++thread) {
      ForeignHistogram histogram{.who = fmt::format("thread {}", thread), .cpu = static_cast<unsigned>(thread)};
      histogram.unit_ns = unit_ns;
      for (const auto& [value, counts] : rows_) {
        if (counts.size() < threads) return core::Error{fmt::format("row {} is not of {} threads", value, threads)};
        if (counts[thread] > 0) histogram.rows.emplace_back(value, counts[thread]);
      }
      histogram.overflow = of("Histogram Overflows")[thread];
      histogram.samples = of("Total")[thread] + *histogram.overflow;
      histogram.min = static_cast<double>(of("Min Latencies")[thread]);
      histogram.mean = static_cast<double>(of("Avg Latencies")[thread]);
      histogram.max = static_cast<double>(of("Max Latencies")[thread]);
      histograms.push_back(std::move(histogram));
    }
    return histograms;
  }

 private:
  static core::Status take_counts(std::string_view line, std::vector<uint64_t>& counts) {
    for (std::string_view word; !(word = take_word(line)).empty();) {
      const auto count = core::whole_number(word);
      if (!count) return core::Error{in_quotes(word) + " is not a count"};
      if (counts.size() > core::kLargestCpu) return core::Error{"it has more columns than there are CPUs"};
      counts.push_back(*count);
    }
    return {};
  }
  const std::vector<uint64_t>& of(std::string_view label) const { return totals_.find(label)->second; }

  std::vector<std::pair<double, std::vector<uint64_t>>> rows_;
  std::map<std::string, std::vector<uint64_t>, std::less<>> totals_ = {
      {"Total", {}}, {"Min Latencies", {}}, {"Avg Latencies", {}}, {"Max Latencies", {}}, {"Histogram Overflows", {}}};
};

// Without a histogram every sample has only the figures of its thread.
ForeignHistogram without_rows(const CyclictestStatus& status, unsigned thread, double unit_ns) {
  return {.who = fmt::format("thread {}", thread),
          .cpu = thread,
          .unit_ns = unit_ns,
          .overflow = status.cycles,
          .min = status.min,
          .mean = status.mean,
          .max = status.max};
}

core::Result<std::vector<ForeignHistogram>> histograms_of(const CyclictestHistogram& histogram,
                                                          const std::map<unsigned, CyclictestStatus>& threads,
                                                          double unit_ns) {
  if (histogram.has_begun()) return histogram.by_thread(unit_ns);
  std::vector<ForeignHistogram> histograms;
  for (const auto& [thread, status] : threads) histograms.push_back(without_rows(status, thread, unit_ns));
  if (histograms.empty()) return core::Error{"it has neither a status line nor a histogram"};
  return histograms;
}

// The last status line may be from before the last samples, but not from after them, and not of others.
core::Status agrees_with_status(const ForeignHistogram& histogram, const CyclictestStatus& status) {
  if (!histogram.samples || status.cycles == 0) return {};
  const auto differ = [&](const char* what, double told, double in_histogram) -> core::Status {
    return core::Error{fmt::format("{}: the {} is {} in its status line and {} at its histogram", histogram.who, what,
                                   told, in_histogram)};
  };
  const auto samples = static_cast<double>(*histogram.samples), cycles = static_cast<double>(status.cycles);
  if (cycles > samples) return differ("count", cycles, samples);
  const bool is_last = cycles == samples;
  if (status.min < histogram.min || (is_last && status.min != histogram.min))
    return differ("minimum", status.min, *histogram.min);
  if (status.max > histogram.max || (is_last && status.max != histogram.max))
    return differ("maximum", status.max, *histogram.max);
  return {};
}

core::Result<core::RunResult> cyclictest_run(const CyclictestHistogram& histogram,
                                             const std::map<unsigned, CyclictestStatus>& threads,
                                             std::optional<uint64_t> ended_at, const ImportOptions& options) {
  const double unit_ns = options.unit_ns > 0 ? options.unit_ns : kMicrosecond_ns;
  core::Phase phase = imported_phase("cyclictest", core::kCyclictestKind, "cyclictest");
  const auto histograms = histograms_of(histogram, threads, unit_ns);
  if (!histograms) return histograms.error();
  for (const ForeignHistogram& foreign : *histograms) {
    core::Result<core::CpuResult> cpu = cpu_result_of(foreign);
    if (!cpu) return cpu.error();
    if (const core::Status agrees = agrees_with_rows(*cpu, foreign.who); !agrees) return agrees.error();
    if (const auto status = threads.find(cpu->cpu); status != threads.end()) {
      if (const core::Status agrees = agrees_with_status(foreign, status->second); !agrees) return agrees.error();
      cpu->exposure_s = seconds_accounted_for(*cpu, static_cast<double>(status->second.interval_us) * kMicrosecond_ns);
    }
    phase.per_cpu.push_back(*std::move(cpu));
  }
  if (ended_at)
    phase.facts[core::fact::kBreak] =
        fmt::format("a sample of {}", core::latency_text(static_cast<double>(*ended_at) * unit_ns));
  phase.warnings.emplace_back(kThreadsForCpus);
  if (threads.empty()) phase.warnings.emplace_back(kExposureUnknown);
  return imported_run("cyclictest", {std::move(phase)});
}

core::Result<core::RunResult> read_cyclictest_text(InputText& input, const ImportOptions& options) {
  CyclictestHistogram histogram;
  std::map<unsigned, CyclictestStatus> threads;  // as the last line of each tells
  std::optional<uint64_t> ended_at;
  bool in_histogram = false;
  while (const auto line = input.next_line()) {
    core::Status taken;
    if (const size_t at = status_at(*line); at != line->npos) {
      const auto thread = number_after(line->substr(at), "T:");
      const auto status = status_of(line->substr(at));
      if (!thread || *thread > core::kLargestCpu || !status)
        return in_line(input, "it is no status line of cyclictest");
      threads[static_cast<unsigned>(*thread)] = *status;
    } else if (line->starts_with(kCyclictestTitle) && labelled(*line).label.empty()) {
      if (histogram.has_begun()) return in_line(input, "a second histogram begins: give one file for each");
      in_histogram = true;
    } else if (line->starts_with(kBreakValue)) {
      ended_at = number_after(*line, kBreakValue);
      if (!ended_at) return in_line(input, "what it ended at is no number");
    } else if (in_histogram && line->starts_with('#')) {
      taken = histogram.take_total(*line);
    } else if (in_histogram && !line->empty()) {
      taken = histogram.take_row(*line);
    }
    if (!taken) return in_line(input, taken.error().text);
  }
  return cyclictest_run(histogram, threads, ended_at, options);
}

// In a line of its own, however lines end.
bool has_title(std::string_view beginning) {
  for (size_t at = 0; (at = beginning.find(kCyclictestTitle, at)) != beginning.npos; at += kCyclictestTitle.size()) {
    const std::string_view rest = beginning.substr(at + kCyclictestTitle.size());
    const bool begins_line = at == 0 || beginning[at - 1] == '\n';
    if (begins_line && (rest.starts_with('\n') || rest.starts_with("\r\n"))) return true;
  }
  return false;
}

bool is_cyclictest_text(std::string_view beginning) {
  if (has_title(beginning)) return true;
  const size_t at = status_at(beginning);
  return at != beginning.npos && beginning.substr(at, 200).find(" Max:") != beginning.npos;
}

}  // namespace

extern const ImportDefinition kCyclictest{.name = "cyclictest",
                                          .made_by = "cyclictest's text, and its histogram file",
                                          .recognises = is_cyclictest_text,
                                          .read_lines = read_cyclictest_text};

}  // namespace maxlat::importing
