// SPDX-License-Identifier: MIT
//
// What oslat prints at its end: a table with a column for each CPU.
#include <fmt/format.h>

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>

#include "formats/oslat.hpp"
#include "reading/imported_run.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kOslatUnit = "(us)";

// One line of the table: the values before the unit, one for each CPU.
class OslatTable {
 public:
  // ERRORS: a value that is none, fewer or more of them than CPUs.
  core::Status take(const Labelled& line) {
    std::vector<std::string_view> values = words_of(line.rest);
    while (!values.empty() && (values.back().starts_with('(') || values.back().ends_with(')'))) values.pop_back();
    if (line.label == "Core") return take_cpus(values);
    if (line.label == "Counter Freq" || line.label == "Max-Min") return {};
    if (values.size() != threads_.size())
      return core::Error{fmt::format("{} of {} CPUs", values.size(), threads_.size())};
    for (size_t i = 0; i < values.size(); ++i)
      if (!take_value(threads_[i], line.label, values[i]))
        return core::Error{in_quotes(values[i]) + " is no " + what(line)};
    return {};
  }
  bool has_begun() const { return !threads_.empty(); }
  bool is_whole() const { return whole_; }
  core::Result<std::vector<core::CpuResult>> results() const {
    std::vector<core::CpuResult> results;
    for (const OslatThread& thread : threads_) {
      core::Result<core::CpuResult> cpu = oslat_result(thread);
      if (!cpu) return cpu.error();
      results.push_back(*std::move(cpu));
    }
    return results;
  }

 private:
  static std::string what(const Labelled& line) { return line.label.ends_with(kOslatUnit) ? "count" : "number"; }

  core::Status take_cpus(const std::vector<std::string_view>& values) {
    for (const std::string_view value : values) {
      const auto cpu = core::whole_number<unsigned>(value);
      if (!cpu || *cpu > core::kLargestCpu) return core::Error{in_quotes(value) + " is no CPU"};
      threads_.push_back({.cpu = *cpu});
    }
    return {};
  }

  bool take_value(OslatThread& thread, std::string_view label, std::string_view value) {
    if (label.ends_with(kOslatUnit)) {  // a row: "001 (us)"
      std::string_view upper = label;
      const auto upper_us = decimal_number(take_word(upper));
      const auto count = core::whole_number(value);
      if (upper_us && count) thread.rows.emplace_back(*upper_us, *count);
      return upper_us && count;
    }
    const auto number = decimal_number(value);
    if (!number) return false;
    if (label == "Minimum") thread.min_us = *number;
    if (label == "Average") thread.mean_us = *number;
    if (label == "Maximum") thread.max_us = *number;
    if (label == "Duration") thread.duration_s = *number, whole_ = true;
    return true;
  }

  std::vector<OslatThread> threads_;
  bool whole_ = false;  // its last line was there
};

core::Result<core::RunResult> read_oslat_text(InputText& input, const ImportOptions&) {
  OslatTable table;
  std::string version = "(version unknown)";
  while (const auto line = input.next_line()) {
    if (line->starts_with("oslat V ")) version = core::printable(line->substr(8));
    const Labelled words = labelled(*line);
    if (words.label.empty() || (!table.has_begun() && words.label != "Core")) continue;
    if (const core::Status taken = table.take(words); !taken) return in_line(input, taken.error().text);
  }
  if (!table.is_whole())
    return in_line(input, "it ends here, without the line \"Duration\": was oslat killed, or the disk full?");
  core::Result<std::vector<core::CpuResult>> per_cpu = table.results();
  if (!per_cpu) return per_cpu.error();
  return imported_run("oslat", {oslat_phase(version, *std::move(per_cpu))});
}

bool is_oslat_text(std::string_view beginning) {
  return beginning.find("Core:\t") != beginning.npos && beginning.find("Counter Freq:") != beginning.npos;
}

}  // namespace

extern const ImportDefinition kOslat{
    .name = "oslat", .made_by = "oslat's text, rt-tests 2", .recognises = is_oslat_text, .read_lines = read_oslat_text};

}  // namespace maxlat::importing
