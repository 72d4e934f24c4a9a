// SPDX-License-Identifier: MIT
//
// What is said of the run as a whole: verdict, findings, how to read the page, pre-flight, machine.
#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

struct VerdictWords {
  const char* style;
  const char* word;
  const char* meaning;
};

VerdictWords words_of(core::Verdict::Kind kind) {
  switch (kind) {
    case core::Verdict::Kind::pass:
      return {"verdict pass", "PASS", "Every limit was met by valid measurements."};
    case core::Verdict::Kind::fail:
      return {"verdict fail", "FAIL", "A valid measurement exceeded a limit."};
    case core::Verdict::Kind::invalid:
      return {"verdict invalid", "INVALID",
              "Something was not measured, or not measured validly. That is never a pass."};
    case core::Verdict::Kind::not_gated:
      return {"verdict neutral", "NOT GATED", "There were no limits to judge by: figures only, no pass and no fail."};
  }
  return {"verdict invalid", "INVALID", ""};
}

void list_of(Html& html, const std::vector<std::string>& items, std::string_view style = {}) {
  const auto list = html.element("ul", {{"class", style}});
  for (const auto& item : items) html.leaf("li", with_micro_sign(item));
}

void rules_table(Html& html, const std::vector<core::RuleResult>& rules) {
  if (rules.empty()) return;
  html.leaf("h3", "Rules");
  const Table table(html, "Rules of the gate", {"rule", "limit", "observed", "result"}, "cards");
  for (const auto& rule : rules) {
    const auto row = html.element("tr");
    html.leaf("td", rule.rule);
    html.leaf("td", rule.limit, {{"class", "tight"}, {"data-name", "limit"}});
    html.leaf("td", with_micro_sign(rule.observed), {{"data-name", "observed"}});
    const bool pass = rule.outcome == core::RuleResult::Outcome::pass,
               fail = rule.outcome == core::RuleResult::Outcome::fail;
    const auto cell = html.element("td");
    html.leaf("span", core::to_string(rule.outcome),
              {{"class", pass   ? "chip pass"
                         : fail ? "chip fail"
                                : "chip invalid"}});
    if (!rule.note.empty()) html.text(" " + rule.note);
  }
}

std::string finding(const PhaseView& view) {
  const auto* worst = worst_cpu(view.phase);
  std::string text = fmt::format("{}: the largest of {} samples was {}", core::shown_name(view.phase),
                                 about(static_cast<double>(view.all.samples)), latency_html(view.all.max_ns));
  if (view.phase.per_cpu.size() > 1) text += fmt::format(" (CPU {})", worst->cpu);
  if (view.all.exposure_s > 0) text += fmt::format(", {} of CPU time watched", seconds_html(view.all.exposure_s));
  return text + ".";
}

std::vector<std::string> not_shown(const core::RunResult& run, const std::vector<PhaseView>& views) {
  std::vector<std::string> items;
  for (const auto& phase : run.phases) {
    if (const auto reason = unfit_because(phase))
      items.push_back(fmt::format("{}: nothing may be concluded, {}.", phase.name, *reason));
  }
  using Seen = core::SettingObservation::Verdict;
  const auto count = [&](Seen seen) {
    return std::count_if(run.preflight.begin(), run.preflight.end(),
                         [&](const auto& row) { return row.verdict == seen; });
  };
  if (const auto bad = count(Seen::bad); bad > 0)
    items.push_back(fmt::format("{} setting{} of this box {} not as real time wants {}: see pre-flight.", bad,
                                bad == 1 ? "" : "s", bad == 1 ? "is" : "are", bad == 1 ? "it" : "them"));
  if (const auto unknown = count(Seen::unknown); unknown > 0)
    items.push_back(fmt::format("{} setting{} could not be read, and may be wrong.", unknown, unknown == 1 ? "" : "s"));
  double exposure_s = 0;
  for (const auto& view : views) {
    if (!unfit_because(view.phase)) exposure_s = std::max(exposure_s, view.all.exposure_s);
  }
  if (exposure_s > 0)
    items.push_back(fmt::format("What happens less often than once in {} of CPU time may well not have been seen.",
                                seconds_html(exposure_s)));
  return items;
}

struct SettingWords {
  const char* style;
  const char* word;
};

SettingWords words_of(core::SettingObservation::Verdict verdict) {
  switch (verdict) {
    case core::SettingObservation::Verdict::ok:
      return {"chip pass", "ok"};
    case core::SettingObservation::Verdict::bad:
      return {"chip fail", "bad"};
    case core::SettingObservation::Verdict::unknown:
      return {"chip invalid", "unknown"};
    case core::SettingObservation::Verdict::info:
      return {"chip neutral", "info"};
  }
  return {"chip invalid", "unknown"};
}

// Bad first: who reads only the first rows reads what to change.
std::vector<const core::SettingObservation*> by_urgency(const std::vector<core::SettingObservation>& rows) {
  using Seen = core::SettingObservation::Verdict;
  std::vector<const core::SettingObservation*> ordered;
  for (const Seen seen : {Seen::bad, Seen::unknown, Seen::info, Seen::ok}) {
    for (const auto& row : rows) {
      if (row.verdict == seen) ordered.push_back(&row);
    }
  }
  return ordered;
}

// A fix is commands and words, with semicolons between: only a command is shown as one.
void commands_and_words(Html& html, std::string_view fix) {
  for (const char* between = ""; !fix.empty(); between = "; ") {
    const size_t end = std::min(fix.find("; "), fix.size());
    const std::string_view part = fix.substr(0, end);
    html.text(between);
    if (part.starts_with("echo "))
      html.leaf("code", part);
    else
      html.text(part);
    fix.remove_prefix(std::min(end + 2, fix.size()));
  }
}

void preflight_table(Html& html, const std::vector<const core::SettingObservation*>& rows) {
  const Table table(html, "Pre-flight", {"result", "setting", "observed", "expected", "why, and what to do"}, "cards");
  for (const auto* setting : rows) {
    const auto row = html.element("tr");
    const SettingWords words = words_of(setting->verdict);
    {
      const auto cell = html.element("td");
      html.leaf("span", words.word, {{"class", words.style}});
    }
    {
      const auto cell = html.element("td");
      html.leaf("strong", setting->name);
      html.leaf("span", setting->group, {{"class", "why"}});
    }
    html.leaf("td", setting->observed, {{"data-name", "observed"}});
    html.leaf("td", setting->expected, {{"data-name", "expected"}});
    const auto cell = html.element("td");
    html.text(setting->why);
    if (setting->verdict != core::SettingObservation::Verdict::ok && !setting->fix.empty()) {
      const auto fix = html.element("span", {{"class", "why"}});
      commands_and_words(html, setting->fix);
    }
  }
}

}  // namespace

Table::Table(Html& html, std::string_view label, const std::vector<std::string>& columns, std::string_view style)
    : frame_(html.element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}})),
      table_(html.element("table", {{"class", style}})),
      body_([&] {
        {
          const auto head = html.element("thead");
          const auto row = html.element("tr");
          for (const std::string_view column : columns) {
            const bool number = column.starts_with('#');
            html.leaf("th", number ? column.substr(1) : column, {{"scope", "col"}, {"class", number ? "n" : ""}});
          }
        }
        return html.element("tbody");
      }()) {}

void status_chip(Html& html, core::PhaseStatus status) {
  const char* style = "chip invalid";
  if (status == core::PhaseStatus::ok) style = "chip pass";
  if (status == core::PhaseStatus::failed) style = "chip fail";
  if (status == core::PhaseStatus::skipped) style = "chip neutral";
  html.leaf("span", core::to_string(status), {{"class", style}});
}

void verdict_section(Html& html, const core::RunResult& run) {
  const auto section = html.element("section", {{"id", "verdict"}, {"aria-label", "Verdict"}});
  const VerdictWords words = words_of(run.verdict.kind);
  {
    const auto card = html.element("div", {{"class", words.style}});
    html.leaf("p", words.word, {{"class", "word"}});
    html.leaf("p", words.meaning, {{"class", "meaning"}});
    if (!run.verdict.reasons.empty()) list_of(html, run.verdict.reasons);
  }
  if (run.state != core::RunResult::State::complete) {
    const auto banner = html.element("div", {{"class", "banner"}});
    html.leaf("strong", fmt::format("This run is not complete ({}).", core::to_string(run.state)));
    html.leaf("p", "What was measured is below; later phases are missing.");
  }
  if (!run.verdict.not_comparable.empty()) {
    const auto banner = html.element("div", {{"class", "banner"}, {"id", "not-comparable"}});
    html.leaf("strong", "Not comparable with bare metal");
    html.leaf("p",
              "These figures say how this box behaved. They say nothing about a real machine with a real-time kernel:");
    list_of(html, run.verdict.not_comparable);
  }
  rules_table(html, run.verdict.rules);
}

void findings_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views) {
  const auto section = html.element("section", {{"id", "findings"}});
  html.leaf("h2", "What this run shows");
  const auto columns = html.element("div", {{"class", "shows"}});
  {
    const auto column = html.element("div");
    html.leaf("h3", "Measured");
    std::vector<std::string> shown;
    for (const size_t i : reading_order(run)) {
      const PhaseView& view = views[i];
      if (view.all.samples > 0 && !unfit_because(view.phase) && view.phase.comparison.empty())
        shown.push_back(finding(view));
    }
    for (const auto& comparison : run.comparisons)
      if (!comparison.beside) shown.push_back(with_micro_sign(comparison.verdict) + ".");
    if (shown.empty())
      html.leaf("p", "Nothing: no phase of this run has valid samples.");
    else
      list_of(html, shown);
  }
  const auto column = html.element("div");
  html.leaf("h3", "Not shown, and why");
  const auto open = not_shown(run, views);
  if (open.empty())
    html.leaf("p", "Nothing is known to be missing.");
  else
    list_of(html, open);
}

void reading_section(Html& html, const core::RunResult& run) {
  const auto section = html.element("section", {{"id", "reading"}});
  html.leaf("h2", "How to read this report");
  html.leaf("p",
            "A hard real-time promise stands on the worst sample, so read the maximum and the last quantiles first; "
            "mean and median only tell what is usual. A maximum is worth what was watched: the exposure is the CPU "
            "time in which a stall would have been seen, and what is rarer than that was not measured.");
  html.leaf("p",
            "In the histogram both axes are logarithmic: each grid line is ten times more, and a single sample on the "
            "far right is still visible. The nines plot turns it round: the further to the right a curve stays low, "
            "the rarer its stalls. Isolated dots far above the rest have a cause of their own; a time line that rises "
            "at regular distances has a periodic one.");
  const bool controlled =
      std::any_of(run.phases.begin(), run.phases.end(), [](const auto& phase) { return phase.control.has_value(); });
  if (!controlled) return;
  html.leaf(
      "p",
      "Before and after, stalls of known length were planted where the plan asks for it. npt and hwlat have to "
      "miss none, and to find more than half of each length on each CPU; cyclictest tells no times and has to find "
      "the longest stall of each CPU. A meter that does not has not measured the others, and the run is "
      "invalid.");
}

void preflight_section(Html& html, const core::RunResult& run) {
  if (run.preflight.empty()) return;
  const auto section = html.element("section", {{"id", "preflight"}});
  html.leaf("h2", "Pre-flight");
  html.leaf("p", "The state of the box before the first measurement; what needs changing comes first.",
            {{"class", "soft"}});
  const auto rows = by_urgency(run.preflight);
  const auto is_open = [](const core::SettingObservation* setting) {
    using Seen = core::SettingObservation::Verdict;
    return setting->verdict == Seen::bad || setting->verdict == Seen::unknown;
  };
  const auto split = std::find_if_not(rows.begin(), rows.end(), is_open);
  if (split != rows.begin()) preflight_table(html, {rows.begin(), split});
  if (split == rows.end()) return;
  const auto details = html.element("details");
  html.leaf("summary", fmt::format("{} settings that are as wanted, or for information", rows.end() - split));
  preflight_table(html, {split, rows.end()});
}

void machine_section(Html& html, const core::RunResult& run) {
  if (run.machine.empty()) return;
  const auto section = html.element("section", {{"id", "machine"}});
  html.leaf("h2", "Machine");
  html.leaf("p", "Two reports with the same hash of a group were made in the same state of that group.",
            {{"class", "soft"}});
  for (const auto& group : run.machine) {
    {
      const auto heading = html.element("h3");
      html.text(group.name + " ");
      html.leaf("code", group.hash, {{"class", "soft"}});
    }
    const auto list = html.element("dl", {{"class", "facts"}});
    for (const auto& [name, value] : group.values) {
      const auto pair = html.element("div");
      html.leaf("dt", name);
      html.leaf("dd", value);
    }
  }
}

}  // namespace maxlat::reports
