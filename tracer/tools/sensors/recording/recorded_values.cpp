// SPDX-License-Identifier: MIT
#include "sensors/recording/recorded_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>
#include <optional>
#include <variant>

#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

using sensors::HistogramValue;

// The bins of one of the two are those of the other: it is one sensor.
std::vector<core::Bin> bins_between(const HistogramValue& before, const HistogramValue& now, double ns) {
  std::vector<core::Bin> bins;
  if (const std::uint64_t below = now.below - before.below; below != 0)
    bins.push_back({0, static_cast<double>(now.low) * ns, below});
  for (std::uint32_t i = 0; i < now.buckets.size(); ++i) {
    const std::uint64_t count = now.buckets[i] - (i < before.buckets.size() ? before.buckets[i] : 0);
    const double low = static_cast<double>(now.low_of(i));
    const double next = static_cast<double>(now.high_of(i)) + 1;
    if (count != 0) bins.push_back({low * ns, next * ns, count});
  }
  return bins;
}

// The exact extremes, where they are of these posts. A post that is under way is in one of the words, and not yet in
// the other: what does not fit the bins is not theirs.
void add_extremes(const HistogramValue& before, const HistogramValue& now, double ns, core::CpuResult& result) {
  if (result.bins.empty()) {  // they are all beyond the range
    const auto last = static_cast<std::uint32_t>(now.buckets.size() - 1);
    const double range = static_cast<double>(now.high_of(last)) * ns;
    result.min_ns = range;
    result.max_ns = now.has_moments ? std::max(range, static_cast<double>(now.max) * ns) : range;
    return;
  }
  const core::Bin& first = result.bins.front();
  const core::Bin& last = result.bins.back();
  result.min_ns = first.low_ns;
  result.max_ns = last.high_ns;
  if (!now.has_moments) return;
  const double min = static_cast<double>(now.min) * ns, max = static_cast<double>(now.max) * ns;
  const bool all = before.total == 0;
  if ((all || now.min < before.min) && min >= first.low_ns && min < first.high_ns) result.min_ns = min;
  const bool is_theirs = all || now.max > before.max || result.overflow_count != 0;
  if (is_theirs && max >= last.low_ns && (result.overflow_count != 0 || max < last.high_ns)) result.max_ns = max;
}

// The exact mean, unless the sum went round, or a post under way makes another of it.
void add_mean(const HistogramValue& before, const HistogramValue& now, double ns, core::CpuResult& result) {
  if (!now.has_moments) return;
  const double mean = static_cast<double>(now.sum - before.sum) * ns / static_cast<double>(result.samples);
  if (mean >= result.min_ns && mean <= result.max_ns) result.mean_ns = mean;
}

std::string fact_of(const ChosenSensor& sensor, const sensors::SensorValue& before) {
  const sensors::SensorValue now = sensor.value();
  std::string text = value_text(*sensor.facts, now);
  const auto posts = posts_of(*sensor.facts, now);
  if (posts && before.index() == now.index())
    text += fmt::format(", {} of them meanwhile", *posts - posts_of(*sensor.facts, before).value_or(0));
  return text;
}

}  // namespace

core::CpuResult result_between(const HistogramValue& before, const HistogramValue& now, double ns) {
  core::CpuResult result;
  result.bins = bins_between(before, now, ns);
  result.overflow_count = now.overflows - before.overflows;
  if (result.bins.empty() && result.overflow_count == 0) return result;
  add_extremes(before, now, ns, result);
  core::fill_statistics_from_bins(result);
  if (result.bins.empty()) result.mean_ns = result.max_ns;
  add_mean(before, now, ns, result);
  return result;
}

void RecordedValues::look(const std::shared_ptr<const ChosenSensors>& chosen, Since since) {
  for (const ChosenSensor& sensor : chosen->sensors) {
    if (!known_.insert(sensor.key()).second) continue;
    const bool all = since == Since::ever || (since == Since::begin_of_programs && !sensor.group->is_common());
    entries_.push_back({chosen, sensor, take_name(sensor), all ? sensors::SensorValue{} : sensor.value()});
  }
}

void RecordedValues::begin_anew() {
  for (Entry& entry : entries_) entry.before = entry.sensor.value();
}

std::uint64_t RecordedValues::refused_events() const {
  std::uint64_t refused = 0;
  for (const Entry& entry : entries_) {
    const sensors::SensorValue now = entry.sensor.value();
    const auto* const events = std::get_if<sensors::EventsValue>(&now);
    const auto* const before = std::get_if<sensors::EventsValue>(&entry.before);
    if (events != nullptr) refused += events->refused - (before == nullptr ? 0 : before->refused);
  }
  return refused;
}

std::string RecordedValues::take_name(const ChosenSensor& sensor) {
  std::string whole = sensor.name();
  const std::size_t number = ++taken_[whole];
  std::string without = sensor.group->program() + "/" + sensor.group->group() + "/" + sensor.facts->name;
  if (++taken_[without] == 1) return without;
  ++with_numbers_;
  return number == 1 ? whole : fmt::format("{} ({})", whole, number);
}

core::Phase RecordedValues::phase_of(const Entry& entry, const HistogramValue& now, double seconds) const {
  const sensors::SensorFacts& facts = *entry.sensor.facts;
  static const HistogramValue kNothing;
  const auto* const before = std::get_if<HistogramValue>(&entry.before);
  core::Phase phase;
  phase.name = entry.name;
  phase.kind = core::kSensorKind.name;
  phase.facts["sensor"] = entry.sensor.name();
  if (!facts.about.empty()) phase.facts["about"] = facts.about;
  phase.facts["CPUs"] = "the histogram is of all that its program posted: CPU 0 here stands for the program";
  core::CpuResult result = result_between(before == nullptr ? kNothing : *before, now, ns_of_unit(facts.unit));
  result.exposure_s = phase.exposure_s = seconds;
  phase.status = result.samples != 0 ? core::PhaseStatus::ok : core::PhaseStatus::skipped;
  if (result.samples == 0) phase.reason = "nothing was posted to it meanwhile";
  phase.per_cpu.push_back(std::move(result));
  return phase;
}

std::vector<core::Phase> RecordedValues::phases(const std::string& started, double seconds) const {
  std::vector<core::Phase> phases;
  core::Phase values;
  values.name = values.kind = core::kValuesKind.name;
  values.status = core::PhaseStatus::ok;
  for (const Entry& entry : entries_) {
    const sensors::SensorValue now = entry.sensor.value();
    const auto* const histogram = std::get_if<HistogramValue>(&now);
    if (histogram != nullptr && ns_of_unit(entry.sensor.facts->unit) != 0)
      phases.push_back(phase_of(entry, *histogram, seconds));
    else
      values.facts[entry.name] = fact_of(entry.sensor, entry.before);
  }
  phases.push_back(std::move(values));
  for (core::Phase& phase : phases) {
    phase.started = started;
    phase.duration_s = seconds;
  }
  return phases;
}

}  // namespace maxlat::trace_tools
