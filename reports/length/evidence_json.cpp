// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "evidence.hpp"

namespace maxlat::reports {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const core::Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}};
}

Json question_json(const WantedRate& wanted) {
  return {{"fewer_than", wanted.events}, {"in_s", wanted.time_s}, {"confidence", wanted.confidence}};
}

Json document(const WantedRate& wanted) {
  return {{"schema", "maxlat-plan-length/2"}, {"question", question_json(wanted)}};
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json quantile_json(const QuantileRow& row) {
  Json json = {{"quantile", row.label}, {"low_ns", row.interval.low_ns}};
  if (row.observed_ns) json["observed_ns"] = *row.observed_ns;
  if (row.dependence.assumed_because.empty())
    json["samples_for_one"] = row.dependence.samples_for_one;
  else
    json["taken_as_independent"] = row.dependence.assumed_because;
  if (row.interval.high_ns)
    json["high_ns"] = *row.interval.high_ns;
  else
    json["samples_needed"] = row.samples_needed;
  return json;
}

Json tail_json(const Evidence& evidence) {
  Json json = Json::object();
  if (evidence.level) {
    json["level_ns"] = evidence.level->level_ns;
    json["interval_95_ns"] = interval_json(evidence.level->interval_ns);
    if (const auto& blocks = evidence.level->blocks)
      json["blocks"] = {{"count", blocks->blocks},
                        {"level_ns", blocks->level},
                        {"interval_95_ns", interval_json(blocks->interval)},
                        {"shape", blocks->fit.shape}};
  } else {
    json["refusal"] = evidence.no_level;
  }
  if (evidence.tail.excesses_ns.empty()) return json;
  json["threshold_ns"] = evidence.tail.threshold_ns;
  json["exceedances"] = evidence.tail.excesses_ns.size();
  json["shape"] = evidence.tail.tail.shape;
  json["scale_ns"] = evidence.tail.tail.scale;
  for (const core::TailCheck& check : evidence.tail.checks)
    json["checks"].push_back({{"name", check.name}, {"p", check.p}, {"holds", check.holds()}});
  return json;
}

Json phase_json(const Evidence& evidence) {
  constexpr const char* kAnswers[] = {"shown", "not shown", "ruled out"};
  Json json = {{"phase", evidence.phase},
               {"cpus", evidence.cpus},
               {"exposure_s", evidence.exposure_s},
               {"duration_s", evidence.duration_s},
               {"measuring_s", evidence.measuring_s},
               {"samples", evidence.samples},
               {"max_ns", evidence.max_ns},
               {"limit_ns", evidence.limit_ns},
               {"samples_above", evidence.samples_above},
               {"counted", evidence.bursts ? "steps" : "samples"},
               {"events", evidence.events},
               {"events_interval", interval_json(evidence.events_interval)},
               {"events_below", evidence.events_below},
               {"share_below", evidence.share_below},
               {"answer", kAnswers[static_cast<int>(evidence.answer)]}};
  if (evidence.steps > 0) json["steps"] = {{"all", evidence.steps}, {"above", evidence.steps_above}};
  if (evidence.further) {
    Json& run = json["further_run"] = {{"exposure_s", evidence.further->time}, {"allowed", evidence.further->allowed}};
    if (evidence.likely_per_s) run["chance"] = evidence.further->chance;
  }
  for (const QuantileRow& row : evidence.quantiles) json["quantiles"].push_back(quantile_json(row));
  for (const Evidence::Change& change : evidence.changes)
    json["changes"].push_back(
        {{"at_s", change.at_s}, {"median_before_ns", change.before_ns}, {"median_after_ns", change.after_ns}});
  json["tail"] = tail_json(evidence);
  return json;
}

}  // namespace

std::string evidence_json(const std::vector<Evidence>& all, const WantedRate& wanted) {
  Json json = document(wanted);
  json["phases"] = Json::array();
  for (const Evidence& evidence : all) json["phases"].push_back(phase_json(evidence));
  return text_of(json);
}

std::string plan_json(const WantedRate& wanted, std::uint64_t least_allowed, std::uint64_t most_allowed) {
  Json json = document(wanted);
  for (std::uint64_t allowed = least_allowed; allowed <= most_allowed; ++allowed)
    json["plan"].push_back(
        {{"allowed", allowed}, {"exposure_s", core::time_to_show(wanted.per_s(), allowed, wanted.confidence)}});
  return text_of(json);
}

}  // namespace maxlat::reports
