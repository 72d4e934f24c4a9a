// SPDX-License-Identifier: MIT
//
// The file "hist" of a trace event, with rows such as "{ lat:         12 } hitcount:        345", "{ lat: ~ 10-19 } …"
// (the key has .buckets) and "{ lat: ~ 2^5 } …" (.log2: more than half of it, and at most all). Of several keys, cpu
// and common_cpu tell the CPU, and one must be the latency: the only one that is left, or the only one with a name such
// as lat, delta, duration or time. Rows that differ in the others alone are added.
//
// The file does not tell the unit, so the user has to (--unit). What the kernel dropped for want of room has left no
// value: then the phase is not valid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>

#include "reading/imported_run.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

constexpr std::string_view kTriggerInfo = "# trigger info: ", kHitcount = "hitcount:";

struct Range {
  double low = 0, high = 0;  // whole numbers, the upper one not included
};

// "12", "~ 10-19", "~ 2^5".
std::optional<Range> range_of(std::string_view value) {
  const auto edge = [](std::string_view text) { return core::whole_number<uint64_t>(core::trimmed(text)); };
  if (!value.starts_with('~')) {
    const auto exact = edge(value);
    if (!exact) return std::nullopt;
    return Range{static_cast<double>(*exact), static_cast<double>(*exact) + 1};
  }
  value = core::trimmed(value.substr(1));
  if (value.starts_with("2^")) {
    const auto power = edge(value.substr(2));
    if (!power || *power > 64) return std::nullopt;
    const double high = std::ldexp(1.0, static_cast<int>(*power));
    return Range{*power == 0 ? 0 : high / 2 + 1, high + 1};
  }
  const size_t dash = value.find('-');
  if (dash == value.npos) return std::nullopt;
  const auto low = edge(value.substr(0, dash)), high = edge(value.substr(dash + 1));
  if (!low || !high || *high < *low) return std::nullopt;
  return Range{static_cast<double>(*low), static_cast<double>(*high) + 1};
}

struct Key {
  std::string_view name, value;
};

// Of "lat: 12, cpu: 3". A command's name may hold anything: what follows is then another key, or none.
std::vector<Key> keys_of(std::string_view text) {
  std::vector<Key> keys;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const Labelled key = labelled(text.substr(0, comma));
    if (!key.label.empty()) keys.push_back({key.label, key.rest});
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return keys;
}

bool is_cpu(const Key& key) {
  return key.name == "cpu" || key.name == "common_cpu";
}

bool sounds_like_latency(const Key& key) {
  for (const std::string_view word : {"lat", "delta", "dur", "time", "delay"})
    if (key.name.find(word) != key.name.npos) return true;
  return false;
}

// ERRORS: none, or several of them.
core::Result<std::string> latency_key(std::vector<Key> keys) {
  std::erase_if(keys, is_cpu);
  if (keys.size() > 1) std::erase_if(keys, [](const Key& key) { return !sounds_like_latency(key); });
  if (keys.size() == 1) return std::string(keys.front().name);
  return core::Error{"which of its keys is the latency cannot be told: call it latency"};
}

class FtraceHist {
 public:
  explicit FtraceHist(double unit_ns) : unit_ns_(unit_ns) {}

  core::Status take(std::string_view line) {
    if (line.starts_with(kTriggerInfo)) {
      if (!trigger_.empty()) return core::Error{"a second histogram begins: give one file for each"};
      trigger_ = core::printable(core::trimmed(line.substr(kTriggerInfo.size())));
      return {};
    }
    if (line.starts_with('{')) return take_row(line);
    const Labelled total = labelled(line);
    if (total.label == "Hits") return (hits_ = core::whole_number(total.rest)) ? core::Status{} : not_count(total.rest);
    if (total.label == "Dropped")
      return (dropped_ = core::whole_number(total.rest)) ? core::Status{} : not_count(total.rest);
    return {};
  }

  bool is_whole() const { return hits_.has_value(); }
  core::Result<core::RunResult> run() const {
    if (counted_ > *hits_ || (counted_ < *hits_ && !trigger_.ends_with("[active]")))
      return core::Error{fmt::format("its rows count {}, and its totals {}", counted_, *hits_)};
    core::Phase phase = imported_phase("ftrace hist", core::kImportedKind, "the kernel's histogram trigger");
    phase.facts["trigger"] = trigger_;
    phase.warnings.emplace_back(kExposureUnknown);
    if (counted_ < *hits_)
      phase.warnings.push_back(
          fmt::format("{} came while the file was read, and are in no row", core::counted(*hits_ - counted_, "event")));
    if (dropped_.value_or(0) > 0) {
      phase.status = core::PhaseStatus::invalid;
      phase.reason =
          fmt::format("the kernel dropped {}: the largest may be among them", core::counted(*dropped_, "event"));
    }
    for (const auto& [cpu, bins] : by_cpu_) {
      core::CpuResult& result = phase.per_cpu.emplace_back();
      result.cpu = cpu;
      for (const auto& [low, bin] : bins) result.bins.push_back(bin);
      core::fill_statistics_from_bins(result);
    }
    if (phase.per_cpu.empty()) return core::Error{"the histogram has no row: no event was counted"};
    if (!has_cpus_) phase.warnings.emplace_back("the file tells no CPU: all events are with CPU 0");
    return imported_run("ftrace", {std::move(phase)});
  }

 private:
  static core::Status not_count(std::string_view text) { return core::Error{in_quotes(text) + " is not a count"}; }

  core::Status take_row(std::string_view line) {
    const size_t close = line.find('}'), hitcount = line.find(kHitcount, std::min(close, line.size()));
    if (hitcount == line.npos) return core::Error{"it is no row with a hitcount"};
    std::string_view behind = line.substr(hitcount + kHitcount.size());
    const auto count = core::whole_number(take_word(behind));
    if (!count || *count == 0) return core::Error{"its hitcount is not a count"};
    const std::vector<Key> keys = keys_of(line.substr(1, close - 1));
    if (latency_.empty()) {
      core::Result<std::string> name = latency_key(keys);
      if (!name) return name.error();
      latency_ = *std::move(name);
    }
    unsigned cpu = 0;
    std::optional<Range> range;
    for (const Key& key : keys) {
      if (is_cpu(key)) {
        const auto number = core::whole_number<unsigned>(key.value);
        if (!number || *number > core::kLargestCpu) return core::Error{in_quotes(key.value) + " is no CPU"};
        cpu = *number;
        has_cpus_ = true;
      } else if (key.name == latency_) {
        range = range_of(key.value);
        if (!range) return core::Error{fmt::format("{}: {} is no latency", latency_, in_quotes(key.value))};
      }
    }
    if (!range) return core::Error{fmt::format("it has no key {}", latency_)};
    if (__builtin_add_overflow(counted_, *count, &counted_)) return core::Error{"the counts exceed 64 bits"};
    core::Bin& bin = by_cpu_[cpu][range->low];
    bin.low_ns = range->low * unit_ns_;
    bin.high_ns = std::max(bin.high_ns, range->high * unit_ns_);
    bin.count += *count;
    return {};
  }

  double unit_ns_;
  std::string trigger_, latency_;
  std::map<unsigned, std::map<double, core::Bin>> by_cpu_;
  uint64_t counted_ = 0;
  std::optional<uint64_t> hits_, dropped_;
  bool has_cpus_ = false;
};

core::Result<core::RunResult> read_ftrace_hist(InputText& input, const ImportOptions& options) {
  if (options.unit_ns == 0)
    return core::Error{"a histogram of ftrace does not tell its unit",
                       "--unit ns, or --unit us where the key was made of .usecs"};
  FtraceHist hist(options.unit_ns);
  while (const auto line = input.next_line())
    if (const core::Status taken = hist.take(*line); !taken) return in_line(input, taken.error().text);
  if (!hist.is_whole()) return in_line(input, "it ends here, without the line \"Hits:\": is it whole?");
  return hist.run();
}

}  // namespace

extern const ImportDefinition kFtraceHist{
    .name = "ftrace-hist",
    .made_by = "the file hist of a trace event (--unit)",
    .recognises = [](std::string_view beginning) { return beginning.find("# trigger info: hist:") != beginning.npos; },
    .read_lines = read_ftrace_hist};

}  // namespace maxlat::importing
