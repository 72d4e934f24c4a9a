// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace maxlat::importing {

namespace {

using nlohmann::json;

// Its unit, unless -N makes it nanoseconds.
constexpr double kMicrosecond_ns = 1000;

core::Error not_readable(std::string why) {
  return {fmt::format("cyclictest's result is not readable: {}", why), "run its command by hand to see what it prints"};
}

// Thrown inside this file only.
struct Mistake {
  std::string why;
};

std::string text_with_odd_key(const json& document, const std::string& key) {
  for (const std::string& spelling : {key + ":", key}) {
    if (const auto found = document.find(spelling); found != document.end() && found->is_string()) {
      return found->get<std::string>();
    }
  }
  return {};
}

double number_of(const json& thread, const char* key, const std::string& name) {
  const auto found = thread.find(key);
  if (found == thread.end() || !found->is_number()) throw Mistake{fmt::format("thread {} has no '{}'", name, key)};
  const double value = found->get<double>();
  if (!std::isfinite(value) || value < 0) throw Mistake{fmt::format("thread {}: '{}' is {}", name, key, value)};
  return value;
}

uint64_t count_of(const json& thread, const char* key, const std::string& name) {
  number_of(thread, key, name);
  if (!thread[key].is_number_unsigned()) throw Mistake{fmt::format("thread {}: '{}' is not a count", name, key)};
  return thread[key].get<uint64_t>();
}

std::vector<core::Bin> bins_of(const json& histogram, const std::string& name, double unit_ns) {
  std::map<uint64_t, uint64_t> counts;  // ascending: JSON's keys are in the order of their text
  for (const auto& [key, count] : histogram.items()) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), value);
    if (error != std::errc() || end != key.data() + key.size() || !count.is_number_unsigned()) {
      throw Mistake{fmt::format("thread {}: histogram row '{}' is not a count", name, key)};
    }
    if (count.get<uint64_t>() != 0) counts[value] = count.get<uint64_t>();
  }
  std::vector<core::Bin> bins;
  for (const auto& [value, count] : counts) {
    bins.push_back({static_cast<double>(value) * unit_ns, static_cast<double>(value + 1) * unit_ns, count});
  }
  return bins;
}

core::CpuResult thread_result(const json& thread, const std::string& name, double unit_ns) {
  if (!thread.is_object()) throw Mistake{fmt::format("thread {} is not an object", name)};
  const auto histogram = thread.find("histogram");
  if (histogram == thread.end() || !histogram->is_object()) {
    throw Mistake{fmt::format("thread {} has no histogram (cyclictest needs -h N)", name)};
  }
  core::CpuResult cpu;
  cpu.cpu = static_cast<unsigned>(count_of(thread, "cpu", name));
  cpu.samples = count_of(thread, "cycles", name);
  if (cpu.samples == 0) throw Mistake{fmt::format("thread {} on CPU {} took no sample", name, cpu.cpu)};
  cpu.bins = bins_of(*histogram, name, unit_ns);
  uint64_t in_bins = 0;
  for (const core::Bin& bin : cpu.bins) in_bins += bin.count;
  if (in_bins > cpu.samples) {
    throw Mistake{fmt::format("thread {} counts {} in its histogram but only {} cycles", name, in_bins, cpu.samples)};
  }
  cpu.overflow_count = cpu.samples - in_bins;
  cpu.min_ns = number_of(thread, "min", name) * unit_ns;
  cpu.max_ns = number_of(thread, "max", name) * unit_ns;
  core::fill_statistics_from_bins(cpu);
  // Its average includes the samples beyond the histogram, which the bins' mean cannot.
  cpu.mean_ns = number_of(thread, "avg", name) * unit_ns;
  return cpu;
}

// Here, so that it costs its phase only: the run's own file takes nothing that is not valid.
void check(const CyclictestReport& report) {
  core::Phase phase;
  phase.name = "cyclictest";
  phase.per_cpu = report.per_cpu;
  core::RunResult run;
  run.phases.push_back(std::move(phase));
  if (const core::Status valid = core::validate(run); !valid) throw Mistake{valid.error().text};
}

// "Sat, 21 Nov 2026 12:01:38 +0000"; nothing when it is not that.
std::optional<std::chrono::system_clock::time_point> time_of(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_string()) return std::nullopt;
  const auto text = found->get<std::string>();
  tm parts{};
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S %z", &parts);
  if (rest == nullptr || *rest != 0) return std::nullopt;
  const long offset_s = parts.tm_gmtoff;  // timegm() sets it
  return std::chrono::system_clock::from_time_t(::timegm(&parts) - offset_s);
}

std::string kernel_of(const json& document) {
  const auto info = document.find("sysinfo");
  if (info == document.end() || !info->is_object()) return {};
  std::string kernel;
  for (const char* key : {"sysname", "release", "version", "machine"})
    if (const auto word = info->find(key); word != info->end() && word->is_string())
      kernel += (kernel.empty() ? "" : " ") + word->get<std::string>();
  return kernel;
}

CyclictestReport report_of(const json& document) {
  CyclictestReport report;
  report.version = text_with_odd_key(document, "rt_test_version");
  report.command = text_with_odd_key(document, "cmdline");
  if (report.command.find("cyclictest") == std::string::npos) throw Mistake{"it is not from cyclictest"};
  if (const auto code = document.find("return_code"); code != document.end() && *code != 0) {
    throw Mistake{fmt::format("cyclictest ended with return code {}", code->dump())};
  }
  // 1 with -N; a version that does not tell knew microseconds alone.
  const double unit_ns = document.value("resolution_in_ns", 0) == 1 ? 1 : kMicrosecond_ns;
  const auto threads = document.find("thread");
  if (threads == document.end() || !threads->is_object() || threads->empty()) throw Mistake{"it has no thread"};
  for (const auto& [name, thread] : threads->items()) report.per_cpu.push_back(thread_result(thread, name, unit_ns));
  std::sort(report.per_cpu.begin(), report.per_cpu.end(), [](const auto& a, const auto& b) { return a.cpu < b.cpu; });
  report.kernel = kernel_of(document);
  const auto started = time_of(document, "start_time"), ended = time_of(document, "end_time");
  if (started) report.started = core::utc_text(*started);
  if (ended) report.ended = core::utc_text(*ended);
  if (started && ended) report.duration_s = std::chrono::duration<double>(*ended - *started).count();
  check(report);
  return report;
}

// "T: 0 ( 7534) P:95 I:100 C:   9990 Min:      7 Act:   15 Avg:   13 Max:     158"
bool parse_status_line(const std::string& line, size_t& thread, double& max_us) {
  unsigned index = 0, process = 0;
  long max = 0;
  const size_t at = line.find("Max:");
  if (at == std::string::npos || std::sscanf(line.c_str(), "T:%u (%u)", &index, &process) != 2) return false;
  if (std::sscanf(line.c_str() + at, "Max:%ld", &max) != 1 || max < 0) return false;
  thread = index;
  max_us = static_cast<double>(max);
  return true;
}

}  // namespace

core::Result<CyclictestReport> parse_cyclictest_json(std::string_view text) {
  try {
    return report_of(json::parse(text));
  } catch (const Mistake& mistake) {
    return not_readable(mistake.why);
  } catch (const json::parse_error& error) {
    if (text.empty()) return not_readable("it is empty");
    // As of a result of our own (core/result).
    return core::Error{fmt::format("cyclictest's result is not readable: not a complete JSON text: it breaks off or "
                                   "goes wrong at byte {}",
                                   error.byte),
                       "was the program that wrote it killed, or the disk full?"};
  } catch (const json::exception&) {
    return not_readable("a value in it is not of the kind that cyclictest writes");
  }
}

double seconds_accounted_for(const core::CpuResult& cpu, double interval_ns) {
  const auto cycles = static_cast<double>(cpu.samples);
  double in_bins_ns = 0, late_ns = 0;
  for (const core::Bin& bin : cpu.bins) {
    const auto count = static_cast<double>(bin.count);
    in_bins_ns += count * bin.low_ns;  // as cyclictest counts it: cut off below
    late_ns += count * std::floor(bin.low_ns / interval_ns) * interval_ns;
  }
  // Samples beyond the histogram have lost their values, but not their sum: it is in the average. Each of them ended
  // somewhere between two timers, half an interval before the next in the mean.
  const double beyond_ns = std::max(0.0, cpu.mean_ns * cycles - in_bins_ns);
  if (cpu.overflow_count > 0)
    late_ns += std::max(0.0, beyond_ns - static_cast<double>(cpu.overflow_count) * interval_ns / 2);
  return (cycles * interval_ns + late_ns) * 1e-9;
}

std::vector<core::Timeline> parse_status_blocks(std::string_view text, double step_s,
                                                const std::vector<size_t>& steps) {
  std::vector<core::Timeline> timelines;
  std::vector<size_t> blocks;  // seen of each thread
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    size_t thread = 0;
    double max_us = 0;
    if (!parse_status_line(line, thread, max_us) || thread > 65535) continue;
    if (timelines.size() <= thread) timelines.resize(thread + 1), blocks.resize(thread + 1);
    const size_t block = blocks[thread]++;
    if (block >= steps.size()) continue;  // somebody else asked for it
    timelines[thread].step_s = step_s;
    timelines[thread].kind = core::Timeline::Kind::running_max;
    std::vector<double>& max_ns = timelines[thread].max_ns;
    max_ns.resize(steps[block], max_ns.empty() ? 0 : max_ns.back());
    max_ns.push_back(max_us * kMicrosecond_ns);
  }
  return timelines;
}

}  // namespace maxlat::importing
