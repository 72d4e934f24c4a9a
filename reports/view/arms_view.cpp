// SPDX-License-Identifier: MIT
#include "arms_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace maxlat::reports {
namespace {

bool has_samples(const core::Phase& phase) {
  return std::any_of(phase.per_cpu.begin(), phase.per_cpu.end(), [](const auto& cpu) { return cpu.samples > 0; });
}

// "maxlat:timer,cpu" is {"maxlat", "timer"}; {"none", ""} has no way of delivery.
std::pair<std::string, std::string> tracer_and_delivery(const std::string& arm) {
  const size_t colon = arm.find(':');
  if (colon == std::string::npos) return {arm, ""};
  return {arm.substr(0, colon), arm.substr(colon + 1, arm.find(',') - colon - 1)};
}

bool wakes_its_consumer(const std::string& delivery) {
  return delivery == "wakeup" || delivery == "writer";
}

}  // namespace

std::vector<const core::Phase*> ArmsView::measured() const {
  std::vector<const core::Phase*> with_samples;
  std::copy_if(arms.begin(), arms.end(), std::back_inserter(with_samples),
               [](const auto* arm) { return has_samples(*arm); });
  return with_samples;
}

std::string ArmsView::title() const {
  return gaps.empty() ? name : name + " (" + gaps + ")";
}

std::vector<std::pair<const core::Phase*, const core::Phase*>> ArmsView::pairs() const {
  std::vector<std::pair<const core::Phase*, const core::Phase*>> found;
  const std::vector<const core::Phase*> all = measured();
  for (const core::Phase* arm : all)
    if (arm != all.front() && !is_base_again(*arm)) found.emplace_back(all.front(), arm);
  for (const core::Phase* waking : all) {
    const auto [tracer, delivery] = tracer_and_delivery(waking->arm);
    if (!wakes_its_consumer(delivery)) continue;
    for (const core::Phase* timed : all)
      if (tracer_and_delivery(timed->arm) == std::pair{tracer, std::string("timer")}) found.emplace_back(waking, timed);
  }
  return found;
}

std::vector<ArmsView> arms_of(const core::RunResult& run) {
  std::vector<ArmsView> views;
  for (const core::Phase& phase : run.phases) {
    if (phase.comparison.empty()) continue;
    auto view = std::find_if(views.begin(), views.end(),
                             [&](const auto& one) { return one.name == phase.comparison && one.gaps == phase.gaps; });
    if (view == views.end()) view = views.insert(views.end(), ArmsView{phase.comparison, phase.gaps, {}, {}});
    view->arms.push_back(&phase);
  }
  for (ArmsView& view : views)
    for (const core::Comparison& comparison : run.comparisons)
      if (comparison.name == view.name && comparison.gaps == view.gaps) view.comparisons.push_back(&comparison);
  return views;
}

std::vector<const core::Phase*> rates_of(const core::RunResult& run) {
  std::vector<const core::Phase*> rates;
  for (const core::Phase& phase : run.phases)
    if (phase.maximum_rate) rates.push_back(&phase);
  return rates;
}

std::string lossless_trials(const core::MaximumRate& rate) {
  const auto& borne = rate.lossless_evidence;
  return borne ? fmt::format("{} of {}", borne->lossless(), borne->trials) : "-";
}

std::string lossy_trials(const core::MaximumRate& rate) {
  const auto& lossy = rate.lossy_evidence;
  return lossy ? fmt::format("{} of {}", lossy->lossy, lossy->trials) : "-";
}

bool is_base_again(const core::Phase& phase) {
  return phase.arm.ends_with(" (again)");
}

}  // namespace maxlat::reports
