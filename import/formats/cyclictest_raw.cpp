// SPDX-License-Identifier: MIT
//
// cyclictest -v: a line for each sample, "thread:cycle:latency", and one for each thread with its interval. The memory
// is that of the threads. Cycles that are missing between two lines were lost by cyclictest, whose buffer overran: they
// are counted, and told. The unit is as in cyclictest_text.cpp.
#include <fmt/format.h>

#include <charconv>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <maxlat/import/import_definition.hpp>
#include <vector>

#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"
#include "reading/raw_samples.hpp"
#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

struct CyclictestSample {
  uint64_t thread = 0, cycle = 0, latency = 0;
};

// A number with blanks before it, which it takes from the line; false when there is none.
bool take_number(std::string_view& line, uint64_t& value) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  return error == std::errc{};
}

bool take_colon(std::string_view& line) {
  const bool found = line.starts_with(':');
  if (found) line.remove_prefix(1);
  return found;
}

bool take_sample(std::string_view line, CyclictestSample& sample) {
  return take_number(line, sample.thread) && take_colon(line) && take_number(line, sample.cycle) && take_colon(line) &&
         take_number(line, sample.latency) && line.empty();
}

class CyclictestThreads {
 public:
  explicit CyclictestThreads(double unit_ns) : samples_(unit_ns) {}

  // "Thread 1 Interval: 1200"
  core::Status take_interval(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    const auto thread = words.size() == 4 ? core::whole_number(words[1]) : std::nullopt;
    const auto interval = words.size() == 4 ? core::whole_number(words[3]) : std::nullopt;
    if (!thread || *thread > core::kLargestCpu || !interval) return core::Error{"it tells no thread's interval"};
    at(*thread).interval_us = *interval;
    return {};
  }

  const char* take(const CyclictestSample& sample) {
    if (sample.thread > core::kLargestCpu) return "no thread has a number as large as that";
    Thread& thread = at(sample.thread);
    if (sample.cycle < thread.next_cycle) return "its cycle was there before";
    missing_ += sample.cycle - thread.next_cycle;
    thread.next_cycle = sample.cycle + 1;
    return samples_.record(static_cast<unsigned>(sample.thread), sample.latency);
  }

  core::Phase phase() const {
    core::Phase phase = imported_phase("cyclictest", core::kCyclictestKind, "cyclictest -v");
    phase.per_cpu = samples_.results();
    bool all_told = true;
    for (core::CpuResult& cpu : phase.per_cpu) {
      const double interval_us = static_cast<double>(threads_[cpu.cpu].interval_us);
      all_told = all_told && interval_us > 0;
      if (interval_us > 0) cpu.exposure_s = seconds_accounted_for(cpu, interval_us * kMicrosecond_ns);
    }
    phase.warnings.emplace_back(kThreadsForCpus);
    if (!all_told) phase.warnings.emplace_back(kExposureUnknown);
    if (missing_ > 0) {
      phase.status = core::PhaseStatus::invalid;
      phase.reason =
          fmt::format("cyclictest lost {}: the largest may be among them", core::counted(missing_, "sample"));
    }
    return phase;
  }

 private:
  struct Thread {
    uint64_t interval_us = 0, next_cycle = 0;
  };
  Thread& at(uint64_t thread) {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    return threads_[thread];
  }

  RawSamples samples_;
  std::vector<Thread> threads_;
  uint64_t missing_ = 0;
};

core::Result<core::RunResult> read_cyclictest_raw(InputText& input, const ImportOptions& options) {
  CyclictestThreads threads(options.unit_ns > 0 ? options.unit_ns : kMicrosecond_ns);
  CyclictestSample sample;
  bool has_sample = false;
  while (const auto line = input.next_line()) {
    if (take_sample(*line, sample)) {
      if (const char* wrong = threads.take(sample)) return in_line(input, wrong);
      has_sample = true;
    } else if (line->starts_with("Thread ")) {
      if (const core::Status taken = threads.take_interval(*line); !taken) return in_line(input, taken.error().text);
    } else if (has_sample && !line->empty() && !line->starts_with('#')) {
      return in_line(input, in_quotes(*line) + " is no sample: thread:cycle:latency");
    }
  }
  if (!has_sample) return core::Error{"cyclictest's samples are not readable: there is none"};
  return imported_run("cyclictest", {threads.phase()});
}

// A line of it among the first, which tell the CPUs, the intervals and what was set.
bool is_cyclictest_raw(std::string_view beginning) {
  InputText input(beginning);
  CyclictestSample sample;
  for (int i = 0; i < 2000; ++i) {
    const auto line = input.next_line();
    if (!line) return false;
    if (take_sample(*line, sample)) return true;
  }
  return false;
}

}  // namespace

extern const ImportDefinition kCyclictestRaw{.name = "cyclictest-raw",
                                             .made_by = "cyclictest -v: every sample",
                                             .recognises = is_cyclictest_raw,
                                             .read_lines = read_cyclictest_raw};

}  // namespace maxlat::importing
