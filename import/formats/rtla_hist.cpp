// SPDX-License-Identifier: MIT
//
// rtla osnoise hist and rtla timerlat hist: a table with a column for each CPU (CPU-003), or for each of a CPU's
// latencies (IRQ-003, Thr-003, Usr-003), and totals below it. The title tells the unit.
//
// timerlat's three latencies are three things, each a phase of its own: until the timer's interrupt, until its thread,
// and until the thread is back in user space. osnoise counts only what is longer than its tolerance.
//
// A row is named by its lower edge. How wide it is rtla does not print: it is taken for what all rows are multiples of,
// which is the width or more, since rows without samples are left out. osnoise knows its minimum and maximum to a row
// only.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>
#include <numeric>

#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kRtlaTitle = "# RTLA ", kRtlaUnit = "# Time unit is ", kRtlaDuration = "# Duration:";

// What stands above the summaries of osnoise top, hwnoise and timerlat top. Nothing of them can be read: they have no
// histogram. They are recognised to say so.
constexpr std::string_view kRtlaSummaries[] = {"  Operating System Noise", "  Hardware-related Noise",
                                               "  Timer Latency"};

bool has_summary(std::string_view text) {
  return std::any_of(std::begin(kRtlaSummaries), std::end(kRtlaSummaries),
                     [&](std::string_view title) { return text.find(title) != text.npos; });
}

// What a column is of.
struct RtlaSeries {
  std::string_view prefix;  // of its name
  const char* phase;
  const core::PhaseKind* kind;
};
const RtlaSeries kRtlaSeries[] = {{"CPU-", "osnoise", &core::kNptKind},
                                  {"IRQ-", "timerlat: interrupt", &core::kImportedKind},
                                  {"Thr-", "timerlat: thread", &core::kCyclictestKind},
                                  {"Usr-", "timerlat: return to user space", &core::kImportedKind}};

struct RtlaColumn {
  const RtlaSeries* series = nullptr;
  ForeignHistogram histogram;
};

class RtlaTable {
 public:
  // Of one line. ERRORS: what is wrong with it.
  core::Status take(std::string_view line) {
    if (has_summary(line))
      return core::Error{"it is a summary, without a histogram: rtla osnoise hist and rtla timerlat hist print one"};
    if (line.starts_with(kRtlaTitle)) return take_title(line);
    if (line.starts_with(kRtlaUnit)) return take_unit(line);
    if (line.starts_with(kRtlaDuration)) return take_duration(line.substr(kRtlaDuration.size()));
    if (line.find("missed") != line.npos) missed_ = core::printable(line);
    if (line.find("hit stop tracing") != line.npos) stopped_ = core::printable(line);
    if (line.starts_with("ALL:")) has_ended_ = true;
    if (has_ended_ || line.empty() || line.starts_with('#')) return {};
    std::string_view values = line;
    const std::string_view name = take_word(values);
    if (name == "Index") return take_columns(values);
    if (columns_.empty()) return {};
    if (name.ends_with(':')) return take_total(name.substr(0, name.size() - 1), values);
    return has_over_ ? core::Status{} : take_row(name, values);
  }

  // The line of totals that a table without it was cut off before; empty: it is whole.
  const char* missing() const { return !has_over_ ? "over:" : !has_max_ ? "max:" : ""; }
  core::Result<core::RunResult> run() {
    if (unit_ns_ == 0) return core::Error{"it has no line \"# Time unit is\": rtla's --no-header leaves it out"};
    const uint64_t width = width_of_rows();
    std::vector<core::Phase> phases;
    for (const RtlaSeries& series : kRtlaSeries) {
      core::Phase phase = imported_phase(series.phase, *series.kind, "rtla " + tool_);
      phase.duration_s = duration_s_;
      phase.facts["row"] = fmt::format("{} {} at the most", width, unit_ns_ == 1 ? "ns" : "us");
      if (tool_ == "osnoise") phase.facts["samples"] = "only what was longer than osnoise's tolerance";
      phase.warnings.emplace_back(kExposureUnknown);
      if (!stopped_.empty()) phase.facts[core::fact::kBreak] = stopped_;
      if (!missed_.empty()) {
        phase.status = core::PhaseStatus::invalid;
        phase.reason = "rtla says: " + missed_;
      }
      for (RtlaColumn& column : columns_) {
        if (column.series != &series || column.histogram.samples == 0) continue;
        core::Result<core::CpuResult> cpu = cpu_result_of(with_width(column.histogram, width));
        if (!cpu) return cpu.error();
        phase.per_cpu.push_back(*std::move(cpu));
      }
      if (!phase.per_cpu.empty()) phases.push_back(std::move(phase));
    }
    if (phases.empty()) return core::Error{fmt::format("rtla {} took no sample", tool_)};
    return imported_run("rtla", std::move(phases));
  }

 private:
  core::Status take_title(std::string_view line) {
    if (!tool_.empty()) return core::Error{"a second table begins: give one file for each"};
    line.remove_prefix(kRtlaTitle.size());
    const std::string_view tool = take_word(line);
    if (tool != "osnoise" && tool != "timerlat")
      return core::Error{in_quotes(tool) + " is neither osnoise nor timerlat"};
    tool_ = tool;
    return {};
  }

  core::Status take_unit(std::string_view line) {
    unit_ns_ = line.ends_with("(us)") ? 1000 : line.ends_with("(ns)") ? 1 : 0;
    return unit_ns_ > 0 ? core::Status{} : core::Error{"the unit is neither us nor ns"};
  }

  // "  0 00:10:01": days, hours, minutes, seconds.
  core::Status take_duration(std::string_view text) {
    const auto days = core::whole_number<uint32_t>(take_word(text));
    const std::string_view clock = take_word(text);
    const auto hours = core::whole_number<uint32_t>(clock.substr(0, 2));
    const auto minutes = core::whole_number<uint32_t>(clock.size() == 8 ? clock.substr(3, 2) : "");
    const auto seconds = core::whole_number<uint32_t>(clock.size() == 8 ? clock.substr(6, 2) : "");
    if (!days || !hours || !minutes || !seconds)
      return core::Error{"the duration is not \"days hours:minutes:seconds\""};
    duration_s_ = *days * 86400.0 + *hours * 3600.0 + *minutes * 60.0 + *seconds;
    return {};
  }

  core::Status take_columns(std::string_view names) {
    for (std::string_view name; !(name = take_word(names)).empty();) {
      const auto series = std::find_if(std::begin(kRtlaSeries), std::end(kRtlaSeries),
                                       [&](const RtlaSeries& known) { return name.starts_with(known.prefix); });
      const auto cpu = core::whole_number<unsigned>(name.substr(std::min<size_t>(4, name.size())));
      if (series == std::end(kRtlaSeries) || !cpu || *cpu > core::kLargestCpu)
        return core::Error{in_quotes(name) + " is no column of rtla's"};
      if (columns_.size() > 4 * core::kLargestCpu) return core::Error{"it has more columns than there are CPUs"};
      columns_.push_back({series, {.who = std::string(name), .cpu = *cpu, .unit_ns = unit_ns_}});
    }
    return {};
  }

  core::Status take_row(std::string_view name, std::string_view values) {
    const auto value = core::whole_number(name);
    if (!value) return core::Error{in_quotes(name) + " is no row of a histogram"};
    if (!indices_.empty() && *value <= indices_.back()) return core::Error{"its rows do not ascend"};
    indices_.push_back(*value);
    return each(values, [&](RtlaColumn& column, std::string_view word) {
      const auto count = core::whole_number(word);
      if (count && *count > 0) column.histogram.rows.emplace_back(static_cast<double>(*value), *count);
      return count.has_value();
    });
  }

  // '-' stands where a column has no sample.
  core::Status take_total(std::string_view name, std::string_view values) {
    has_over_ = has_over_ || name == "over";
    has_max_ = has_max_ || name == "max";
    return each(values, [&](RtlaColumn& column, std::string_view word) {
      ForeignHistogram& histogram = column.histogram;
      if (name == "over") return (histogram.overflow = core::whole_number(word)).has_value();
      if (name == "count") return (histogram.samples = core::whole_number(word)).has_value();
      if (word == "-") return true;
      if (name == "min") return (histogram.min = decimal_number(word)).has_value();
      if (name == "avg") return (histogram.mean = decimal_number(word)).has_value();
      if (name == "max") return (histogram.max = decimal_number(word)).has_value();
      return true;
    });
  }

  template <typename Take>
  core::Status each(std::string_view values, Take take) {
    for (RtlaColumn& column : columns_) {
      const std::string_view word = take_word(values);
      if (word.empty()) return core::Error{fmt::format("it has no number for {}", column.histogram.who)};
      if (!take(column, word))
        return core::Error{fmt::format("{}: {} is no number", column.histogram.who, in_quotes(word))};
    }
    return take_word(values).empty() ? core::Status{} : core::Error{"it has more numbers than there are columns"};
  }

  uint64_t width_of_rows() const {
    uint64_t width = 0;
    for (const uint64_t index : indices_) width = std::gcd(width, index);
    return std::max<uint64_t>(width, 1);
  }

  ForeignHistogram with_width(ForeignHistogram histogram, uint64_t width) const {
    histogram.width = static_cast<double>(width);
    // The kernel gave rtla rows, of which it knows the lower edges.
    if (tool_ == "osnoise" && histogram.max) *histogram.max += histogram.width - 1;
    // An average in whole units, or of lower edges, may be below the minimum that a finer count has.
    if (histogram.mean && histogram.min) histogram.mean = std::max(*histogram.mean, *histogram.min);
    return histogram;
  }

  std::string tool_, missed_, stopped_;
  double unit_ns_ = 0, duration_s_ = 0;
  std::vector<RtlaColumn> columns_;
  std::vector<uint64_t> indices_;
  bool has_over_ = false;   // the rows have ended
  bool has_max_ = false;    // and so have the totals of each CPU
  bool has_ended_ = false;  // what follows is the same of all CPUs together
};

core::Result<core::RunResult> read_rtla_hist(InputText& input, const ImportOptions&) {
  RtlaTable table;
  while (const auto line = input.next_line())
    if (const core::Status taken = table.take(*line); !taken) return in_line(input, taken.error().text);
  if (const std::string_view line = table.missing(); !line.empty())
    return in_line(input, fmt::format("it ends here, without the line \"{}\": was rtla killed?", line));
  return table.run();
}

}  // namespace

extern const ImportDefinition kRtlaHist{.name = "rtla-hist",
                                        .made_by = "rtla osnoise hist, rtla timerlat hist",
                                        .recognises =
                                            [](std::string_view beginning) {
                                              return beginning.find(kRtlaTitle) != beginning.npos ||
                                                     has_summary(beginning);
                                            },
                                        .read_lines = read_rtla_hist};

}  // namespace maxlat::importing
