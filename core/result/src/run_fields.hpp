// SPDX-License-Identifier: MIT
//
// The format of result.json, said once. Each describe() names the keys of one object; the writer (json_writer.hpp) and
// the reader (json_reader.hpp) are visitors that walk it, so what one writes the other reads. docs/result.md explains
// the keys, docs/result.schema.json is the same for foreign readers (a test holds it against what the writer writes).
//
// A visitor V offers
//   Of<T>                          const T for a writer, T for a reader
//   schema(name)                   the first key of the file
//   required(key, value)           a string, number, bool or enumeration that must be there
//   optional(key, value)           the same, absent when empty, 0 or not set: "not measured" is a missing key
//   derived(key, value)            written for foreign readers, ignored by ours
//   object(key, body)              an object whose keys body() describes
//   optional_object(key, value)    a std::optional of something that has a describe()
//   object_unless(empty, key, value)  something that has a describe(), absent when `empty`
//   list(key, values, lines)       an array of objects with describe(); `lines` says whether each stands on one line
//   list_unless_empty(key, values, lines)  the same, absent when empty: for what most runs do not have
//   keyed_list(key, values)        an object of objects, keyed by their `name`
//   members(key, pairs)            an object of strings or numbers, keyed by the pair's first
//   strings, numbers, bins         arrays of plain values; numbers and bins may be long
// So many because each is a shape of JSON or a rule of absence: fewer would have the same choices as arguments.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>

namespace maxlat::core {

inline constexpr const char* kResultSchema = "maxlat-result/1";

enum class Lines { one_each, many };

template <class V>
void describe(V& v, typename V::template Of<NearbyEvent>& event) {
  v.required("t_ns", event.t_ns);
  v.required("event", event.name);
  v.optional("fields", event.fields);
  v.optional("path", event.path);
}

template <class V>
void describe(V& v, typename V::template Of<AccountedTime>& part) {
  v.required("class", part.kind);
  v.optional("name", part.name);
  v.required("ns", part.ns);
  v.required("count", part.count);
  v.required("certainty", part.certainty);
  v.optional("woken_by", part.woken_by);
  v.optional("sent_by", part.sent_by);
}

template <class V>
void describe(V& v, typename V::template Of<Outlier>& outlier) {
  v.required("t_ns", outlier.t_ns);
  v.required("latency_ns", outlier.latency_ns);
  v.optional("cause", outlier.cause);
  v.optional("path", outlier.path);
  v.list_unless_empty("events", outlier.events, Lines::one_each);
  v.list_unless_empty("accounting", outlier.accounting, Lines::one_each);
  if (outlier.accounting.empty()) return;
  const AccountedTime* culprit = culprit_of(outlier);
  v.derived("culprit", culprit == nullptr ? std::string("nobody") : name_of(*culprit));
}

template <class V>
void describe(V& v, typename V::template Of<Timeline>& timeline) {
  v.required("step_s", timeline.step_s);
  v.required("kind", timeline.kind);
  v.numbers("max_ns", timeline.max_ns);
}

// What a CPU and a path of the tracer have in common. `cpu.samples` is read by now: of nothing there is no maximum.
template <class V>
void describe_samples(V& v, typename V::template Of<CpuResult>& cpu) {
  if (cpu.samples > 0) {
    v.required("min_ns", cpu.min_ns);
    v.required("max_ns", cpu.max_ns);
    v.required("mean_ns", cpu.mean_ns);
    v.required("stddev_ns", cpu.stddev_ns);
    v.members("quantiles_ns", cpu.quantiles_ns);
  }
  v.object("histogram", [&](V& histogram) {
    histogram.derived("unit", "ns");
    histogram.bins("bins", cpu.bins);
    histogram.required("overflow_count", cpu.overflow_count);
    histogram.list("overflow", cpu.overflow, Lines::one_each);
  });
}

template <class V>
void describe(V& v, typename V::template Of<CpuResult>& cpu) {
  v.required("cpu", cpu.cpu);
  v.required("samples", cpu.samples);
  v.optional("exposure_s", cpu.exposure_s);
  describe_samples(v, cpu);
  v.list("outliers", cpu.outliers, Lines::one_each);
  v.object_unless(cpu.timeline.max_ns.empty(), "timeline", cpu.timeline);
}

template <class V>
void describe(V& v, typename V::template Of<LoadResult>& load) {
  v.required("name", load.name);
  v.optional("command", load.command);
  v.optional("unit", load.unit);
  v.required("alive", load.alive);
  v.optional("reason", load.reason);
  v.numbers("progress", load.progress);
}

template <class V>
void describe(V& v, typename V::template Of<PlantedStall>& stall) {
  v.required("cpu", stall.cpu);
  v.required("planted_ns", stall.planted_ns);
  v.required("actual_ns", stall.actual_ns);
  v.optional("wake_ns", stall.wake_ns);
  v.optional("found_ns", stall.found_ns);
  v.required("found", stall.found);
}

template <class V>
void describe(V& v, typename V::template Of<ControlResult>& control) {
  v.required("meter", control.meter);
  v.required("stated_error_ns", control.stated_error_ns);
  v.list("stalls", control.stalls, Lines::one_each);
}

template <class V>
void describe(V& v, typename V::template Of<EventCounts>& events) {
  v.required("produced", events.produced);
  v.required("recorded", events.recorded);
  v.required("lost_full", events.lost_full);
  v.required("lost_wrap", events.lost_wrap);
  v.required("lost_big", events.lost_big);
}

template <class V>
void describe(V& v, typename V::template Of<PathResult>& path) {
  v.required("path", path.name);
  v.required("rare", path.rare);
  v.required("samples", path.gaps.samples);
  describe_samples(v, path.gaps);
}

template <class V>
void describe(V& v, typename V::template Of<RoundSummary>& round) {
  v.required("round", round.round);
  v.required("order", round.order);
  v.required("samples", round.samples);
  v.optional("exposure_s", round.exposure_s);
  v.required("min_ns", round.min_ns);
  v.required("max_ns", round.max_ns);
  v.required("mean_ns", round.mean_ns);
  v.required("stddev_ns", round.stddev_ns);
  v.members("quantiles_ns", round.quantiles_ns);
  v.optional_object("events", round.events);
}

template <class V>
void describe(V& v, typename V::template Of<RateTrial>& trial) {
  v.required("asked_hz", trial.asked_hz);
  v.required("produced_hz", trial.produced_hz);
  v.required("lost", trial.lost);
  v.required("exposure_s", trial.exposure_s);
  v.optional("stolen_s", trial.stolen_s);
  v.optional("confirmation", trial.confirmation);
}

template <class V>
void describe(V& v, typename V::template Of<RateEvidence>& evidence) {
  v.required("trials", evidence.trials);
  v.required("lossy", evidence.lossy);
}

template <class V>
void describe(V& v, typename V::template Of<MaximumRate>& rate) {
  v.required("trial_s", rate.trial_s);
  v.required("lossless_hz", rate.lossless_hz);
  v.optional("lossy_hz", rate.lossy_hz);
  v.required("confirmed", rate.confirmed);
  v.optional_object("lossless_evidence", rate.lossless_evidence);
  v.optional_object("lossy_evidence", rate.lossy_evidence);
  v.list("trials", rate.trials, Lines::one_each);
}

template <class V>
void describe(V& v, typename V::template Of<Interruption>& interruption) {
  v.required("kind", interruption.kind);
  v.required("name", interruption.name);
  v.optional("what", interruption.what);
  v.optional("by", interruption.by);
  v.required("count", interruption.count);
}

template <class V>
void describe(V& v, typename V::template Of<CpuActivity>& activity) {
  v.required("cpu", activity.cpu);
  v.optional("switches", activity.switches);
  v.list("counted", activity.counted, Lines::one_each);
  v.list_unless_empty("named", activity.named, Lines::one_each);
}

template <class V>
void describe(V& v, typename V::template Of<InterferenceRow>& row) {
  v.required("class", row.kind);
  v.optional("name", row.name);
  v.required("count", row.count);
  v.required("ns", row.ns);
  v.required("largest_ns", row.largest_ns);
}

template <class V>
void describe(V& v, typename V::template Of<LateWakeup>& wakeup) {
  v.required("t_ns", wakeup.t_ns);
  v.required("latency_ns", wakeup.latency_ns);
  v.optional("late_interrupt_ns", wakeup.late_interrupt_ns);
  v.required("handler_ns", wakeup.handler_ns);
  v.required("waking_ns", wakeup.waking_ns);
  v.required("others_ns", wakeup.others_ns);
  v.list("accounting", wakeup.accounting, Lines::one_each);
  const AccountedTime* culprit = culprit_of(wakeup);
  v.derived("culprit", culprit == nullptr ? std::string("nobody") : name_of(*culprit));
}

template <class V>
void describe(V& v, typename V::template Of<CpuInterference>& of_cpu) {
  v.required("cpu", of_cpu.cpu);
  v.required("watched_ns", of_cpu.watched_ns);
  v.required("undisturbed_ns", of_cpu.undisturbed_ns);
  v.list("rows", of_cpu.rows, Lines::one_each);
  v.list_unless_empty("wakeups", of_cpu.wakeups, Lines::one_each);
}

template <class V>
void describe(V& v, typename V::template Of<KernelMessage>& message) {
  v.required("uptime_s", message.uptime_s);
  v.required("level", message.level);
  v.required("text", message.text);
}

template <class V>
void describe(V& v, typename V::template Of<KernelMessages>& messages) {
  v.required("count", messages.count);
  v.optional("overwritten", messages.overwritten);
  v.list_unless_empty("kept", messages.kept, Lines::one_each);
}

template <class V>
void describe(V& v, typename V::template Of<PreemptionLatency>& latency) {
  v.required("min_ns", latency.min_ns);
  v.required("median_ns", latency.median_ns);
  v.required("max_ns", latency.max_ns);
}

template <class V>
void describe(V& v, typename V::template Of<PolicyPair>& pair) {
  v.required("cpu", pair.cpu);
  v.required("running", pair.running);
  v.required("woken", pair.woken);
  v.required("preempts", pair.promise);
  v.optional("refused", pair.refused);
  v.required("rounds", pair.rounds);
  v.required("preempted", pair.preempted);
  v.required("waited", pair.waited);
  v.required("untold", pair.untold);
  v.optional_object("latency", pair.latency);
}

template <class V>
void describe(V& v, typename V::template Of<Phase>& phase) {
  v.required("name", phase.name);
  v.required("kind", phase.kind);
  v.optional("arm", phase.arm);
  v.required("status", phase.status);
  v.optional("reason", phase.reason);
  v.optional("command", phase.command);
  v.optional("started", phase.started);
  v.optional("duration_s", phase.duration_s);
  v.optional("exposure_s", phase.exposure_s);
  v.members("facts", phase.facts);
  v.strings("warnings", phase.warnings);
  v.list("per_cpu", phase.per_cpu, Lines::many);
  v.list("load", phase.load, Lines::many);
  v.optional_object("control", phase.control);
  v.optional_object("events", phase.events);
  v.list_unless_empty("paths", phase.paths, Lines::many);
  v.optional("comparison", phase.comparison);
  v.optional("gaps", phase.gaps);
  v.list_unless_empty("rounds", phase.rounds, Lines::one_each);
  v.optional_object("maximum_rate", phase.maximum_rate);
  v.list_unless_empty("activity", phase.activity, Lines::many);
  v.list_unless_empty("interference", phase.interference, Lines::many);
  v.list_unless_empty("pairs", phase.pairs, Lines::one_each);
  v.optional_object("kernel_messages", phase.kernel_messages);
}

template <class V>
void describe(V& v, typename V::template Of<Interval>& interval) {
  v.required("low", interval.low);
  v.required("high", interval.high);
}

// The verdict is read by now: what is not measured has no figures.
template <class V>
void describe(V& v, typename V::template Of<MeasureDifference>& measure) {
  v.required("measure", measure.measure);
  v.required("verdict", measure.verdict);
  if (measure.verdict == MeasureDifference::Verdict::not_measured) return;
  v.required("base_ns", measure.base_ns);
  v.required("arm_ns", measure.arm_ns);
  v.required("difference_ns", measure.difference_ns);
  v.object("interval_ns", [&](V& interval) { describe(interval, measure.interval_ns); });
  v.required("p", measure.p);
  v.optional("noise_floor_ns", measure.noise_floor_ns);
  v.optional("rounds_likely", measure.rounds_likely);
}

template <class V>
void describe(V& v, typename V::template Of<Comparison>& comparison) {
  v.required("name", comparison.name);
  v.optional("gaps", comparison.gaps);
  v.optional("beside", comparison.beside);
  v.required("base", comparison.base);
  v.required("arm", comparison.arm);
  v.required("rounds", comparison.rounds);
  v.required("rounds_needed", comparison.rounds_needed);
  v.list("measures", comparison.measures, Lines::one_each);
  v.object("difference_of_means_ns", [&](V& interval) { describe(interval, comparison.difference_of_means_ns); });
  v.required("verdict", comparison.verdict);
}

template <class V>
void describe(V& v, typename V::template Of<SettingObservation>& setting) {
  using Seen = SettingObservation::Verdict;
  v.required("setting", setting.name);
  v.optional("group", setting.group);
  v.required("observed", setting.observed);
  v.optional("expected", setting.expected);
  v.derived("ok", setting.verdict == Seen::ok    ? std::optional(true)
                  : setting.verdict == Seen::bad ? std::optional(false)
                                                 : std::nullopt);
  v.required("verdict", setting.verdict);
  v.optional("why", setting.why);
  v.optional("fix", setting.fix);
}

template <class V>
void describe(V& v, typename V::template Of<FingerprintGroup>& group) {
  v.required("hash", group.hash);
  v.members("values", group.values);
}

template <class V>
void describe(V& v, typename V::template Of<RuleResult>& rule) {
  v.required("rule", rule.rule);
  v.required("limit", rule.limit);
  v.required("observed", rule.observed);
  v.required("result", rule.outcome);
  v.optional("note", rule.note);
}

template <class V>
void describe(V& v, typename V::template Of<Verdict>& verdict) {
  v.required("result", verdict.kind);
  v.strings("reasons", verdict.reasons);
  v.strings("not_comparable", verdict.not_comparable);
  v.list("rules", verdict.rules, Lines::one_each);
}

template <class V>
void describe(V& v, typename V::template Of<RunResult>& run) {
  v.schema(kResultSchema);
  v.object("run", [&](V& about) {
    about.required("id", run.id);
    about.optional("tool", run.tool);
    about.optional("build", run.build);
    about.optional("label", run.label);
    about.members("annotations", run.annotations);
    about.optional("started", run.started);
    about.optional("ended", run.ended);
    about.optional("plan", run.plan);
    about.optional("plan_text", run.plan_text);
    about.optional("gate_text", run.gate_text);
    about.required("seed", run.seed);
    about.required("status", run.state);
  });
  v.keyed_list("machine", run.machine);
  v.list("preflight", run.preflight, Lines::many);
  v.list("phases", run.phases, Lines::many);
  v.list_unless_empty("comparisons", run.comparisons, Lines::many);
  v.object("verdict", [&](V& verdict) { describe(verdict, run.verdict); });
}

}  // namespace maxlat::core
