// SPDX-License-Identifier: MIT
//
// What hwlatdetect prints, and its --report file. The kernel's hwlat tracer, which it drives, looks for a part of each
// window and keeps the largest gap of the window, if that is above the threshold. So a sample here is a window: those
// without a record were below the threshold, and are one bin up to it. A report file has the records alone: it does not
// tell for how long nothing was found.
//
// The largest of "inner" (two reads of the clock) and "outer" (from one pair to the next) is the gap. Older versions do
// not tell the CPU of a record.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>

#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"
#include "reading/raw_samples.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kHwlatTitle = "hwlatdetect:", kHwlatRecord = "ts: ";

struct HwlatSettings {
  std::optional<double> duration_s, threshold_us, window_us, width_us;
  std::optional<uint64_t> recorded;  // as it says itself
  std::string cpus;
  std::vector<std::string> told;  // SMIs: for the warnings
};

struct HwlatRecord {
  double t_s = 0;
  uint64_t gap_us = 0;
  std::optional<unsigned> cpu;
};

// "10us"; in the newest versions with more behind it.
std::optional<double> microseconds(std::string_view text) {
  const std::string_view word = take_word(text);
  return word.ends_with("us") ? decimal_number(word.substr(0, word.size() - 2)) : std::nullopt;
}

// "ts: 1700000000.123456789, inner:12, outer:15", then "cpu:3" and "count:1" in newer versions.
std::optional<HwlatRecord> record_of(std::string_view line) {
  HwlatRecord record;
  std::optional<double> t_s;
  std::optional<uint64_t> inner, outer;
  while (!line.empty()) {
    const size_t comma = std::min(line.find(','), line.size());
    const Labelled part = labelled(line.substr(0, comma));
    line.remove_prefix(std::min(comma + 1, line.size()));
    if (part.label == "ts") t_s = decimal_number(part.rest);
    if (part.label == "inner") inner = core::whole_number(part.rest);
    if (part.label == "outer") outer = core::whole_number(part.rest);
    if (part.label == "cpu") record.cpu = core::whole_number<unsigned>(part.rest);
  }
  if (!t_s || !inner || !outer) return std::nullopt;
  record.t_s = *t_s;
  record.gap_us = std::max(*inner, *outer);
  return record;
}

// False: a line that has no such number.
bool take_setting(std::string_view line, HwlatSettings& settings) {
  const Labelled words = labelled(line);
  const std::pair<std::string_view, std::optional<double>*> times[] = {{"Latency threshold", &settings.threshold_us},
                                                                       {"Sample window", &settings.window_us},
                                                                       {"Sample width", &settings.width_us}};
  for (const auto& [label, time] : times)
    if (words.label == label) return (*time = microseconds(words.rest)).has_value();
  if (words.label == "CPU list" && words.rest != "None") settings.cpus = words.rest;
  if (words.label == "Samples recorded") return (settings.recorded = core::whole_number(words.rest)).has_value();
  if (words.label == "SMIs during run") settings.told.push_back(fmt::format("hwlatdetect counted {} SMIs", words.rest));
  if (line.starts_with(kHwlatTitle)) {
    const std::vector<std::string_view> rest = words_of(words.rest);  // test duration 120 seconds
    if (rest.size() == 4 && rest[1] == "duration") return (settings.duration_s = decimal_number(rest[2])).has_value();
  }
  return true;
}

// The one CPU that it can have been; 0 otherwise.
unsigned only_cpu(const HwlatSettings& settings) {
  return core::whole_number<unsigned>(settings.cpus).value_or(0);
}

class HwlatReport {
 public:
  // ERRORS: what is wrong with the line.
  core::Status take(std::string_view line) {
    if (line.starts_with(kHwlatRecord)) return take_record(line);
    if (!take_setting(line, settings_)) return core::Error{in_quotes(line) + " has no number as hwlatdetect writes it"};
    return {};
  }

  bool is_cut_off() const { return settings_.duration_s && !settings_.recorded; }
  core::Result<core::RunResult> run() const {
    if (settings_.recorded && *settings_.recorded != records_)
      return core::Error{fmt::format("it tells of {}, and has {}: is it whole?",
                                     core::counted(*settings_.recorded, "record"), records_)};
    core::Phase phase = imported_phase("hwlatdetect", core::kHwlatKind, "hwlatdetect");
    phase.facts["samples"] = "windows, each with its largest gap; those without a record were below the threshold";
    phase.duration_s = settings_.duration_s.value_or(0);
    phase.per_cpu = samples_.results();
    add_quiet_windows(phase.per_cpu);
    if (phase.per_cpu.empty())
      return core::Error{"hwlatdetect's result is not readable: it has no record, and no duration"};
    tell_exposure(phase);
    if (!has_cpus_ && settings_.cpus.find_first_not_of("0123456789") != settings_.cpus.npos)
      phase.warnings.emplace_back("the file does not tell which CPU a record is of: all are with CPU 0");
    if (!has_cpus_ && settings_.cpus.empty())
      phase.warnings.emplace_back("the file tells no CPU: all records are with CPU 0");
    phase.warnings.insert(phase.warnings.end(), settings_.told.begin(), settings_.told.end());
    return imported_run("hwlatdetect", {std::move(phase)});
  }

 private:
  core::Status take_record(std::string_view line) {
    const auto record = record_of(line);
    if (!record) return core::Error{in_quotes(line) + " is no record of hwlatdetect"};
    if (!first_s_) first_s_ = record->t_s;
    has_cpus_ = has_cpus_ || record->cpu.has_value();
    const double t_ns = std::max(0.0, record->t_s - *first_s_) * 1e9;
    if (t_ns > 1e18) return core::Error{"its time is years after that of the first record"};
    const unsigned cpu = record->cpu.value_or(only_cpu(settings_));
    if (const char* wrong = samples_.record(cpu, record->gap_us, static_cast<uint64_t>(t_ns)))
      return core::Error{wrong};
    ++records_;
    return {};
  }

  // As a bin below the threshold: of the CPU with the first records, since the file does not tell how they are spread.
  void add_quiet_windows(std::vector<core::CpuResult>& per_cpu) const {
    if (!settings_.duration_s || settings_.window_us.value_or(0) <= 0 || settings_.threshold_us.value_or(0) <= 0)
      return;
    const double windows = std::floor(*settings_.duration_s * 1e6 / *settings_.window_us);
    if (windows > 1e15 || windows <= static_cast<double>(records_)) return;
    if (per_cpu.empty()) per_cpu.emplace_back().cpu = only_cpu(settings_);
    core::CpuResult& cpu = per_cpu.front();
    const double threshold_ns = *settings_.threshold_us * kMicrosecond_ns;
    cpu.bins.insert(cpu.bins.begin(), core::Bin{0, threshold_ns, static_cast<uint64_t>(windows) - records_});
    cpu.min_ns = 0;
    core::fill_statistics_from_bins(cpu);
  }

  // Of all CPUs together: the tracer goes around them. Here it stands with the first.
  void tell_exposure(core::Phase& phase) const {
    if (phase.duration_s <= 0 || settings_.window_us.value_or(0) <= 0 || !settings_.width_us) {
      phase.warnings.emplace_back(kExposureUnknown);
      return;
    }
    phase.per_cpu.front().exposure_s = phase.duration_s * std::min(1.0, *settings_.width_us / *settings_.window_us);
    phase.facts["watched"] = fmt::format("{} of {} us, one CPU at a time", *settings_.width_us, *settings_.window_us);
  }

  HwlatSettings settings_;
  RawSamples samples_{kMicrosecond_ns, true};
  uint64_t records_ = 0;
  std::optional<double> first_s_;
  bool has_cpus_ = false;
};

core::Result<core::RunResult> read_hwlatdetect(InputText& input, const ImportOptions&) {
  HwlatReport report;
  while (const auto line = input.next_line())
    if (const core::Status taken = report.take(*line); !taken) return in_line(input, taken.error().text);
  if (report.is_cut_off()) return in_line(input, "it ends here, before \"Samples recorded\": was hwlatdetect killed?");
  return report.run();
}

bool is_hwlatdetect(std::string_view beginning) {
  return beginning.starts_with(kHwlatTitle) || beginning.find("\nhwlatdetect:") != beginning.npos ||
         (beginning.starts_with(kHwlatRecord) && beginning.find("inner:") != beginning.npos);
}

}  // namespace

extern const ImportDefinition kHwlatdetect{.name = "hwlatdetect",
                                           .made_by = "hwlatdetect's text, and its report file",
                                           .recognises = is_hwlatdetect,
                                           .read_lines = read_hwlatdetect};

}  // namespace maxlat::importing
