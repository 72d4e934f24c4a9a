// SPDX-License-Identifier: MIT
//
// The end of a run on a terminal: one screen whose last lines are the verdict and where the report is. What matters
// most is given its lines first, what is left goes to warnings and settings; an item stands whole or not at all, and
// what does not fit is counted. Everything is in terminal_summary().
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/reports/report.hpp>
#include <set>
#include <sstream>

#include "text_style.hpp"
#include "view/box.hpp"
#include "view/culprits.hpp"
#include "view/phase_view.hpp"
#include "view/suspicions.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kObservedWidth = 40;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A heading and items of one or more lines each.
struct Part {
  std::string heading;  // may be empty
  std::vector<Lines> items;
};

// The part in at most `room` lines, which are taken from it. An item that does not fit ends it.
Lines fitted(const Part& part, size_t room, const std::string& more) {
  if (part.items.empty() || room == 0) return {};
  Lines lines;
  if (!part.heading.empty()) lines.push_back(part.heading);
  size_t taken = 0;
  for (const Lines& item : part.items) {
    const size_t for_the_rest = taken + 1 < part.items.size() ? 1 : 0;
    if (lines.size() + item.size() + for_the_rest > room) break;
    lines.insert(lines.end(), item.begin(), item.end());
    ++taken;
  }
  const size_t left = part.items.size() - taken;
  if (left == 0) return lines;
  if (taken == 0) lines.clear();
  const std::string what = taken == 0 && !part.heading.empty() ? part.heading + " " : "  and ";
  lines.push_back(fmt::format("{}{}{}, see {}", what, left, taken == 0 ? "" : " more", more));
  if (lines.size() > room) lines.clear();
  return lines;
}

Lines item(const std::string& text, unsigned width) {
  return lines_of(core::wrapped(text, width, "  - "));
}

Part verdict_part(const core::RunResult& run, const TextStyle& style) {
  Part part{verdict_line(run, style), {}};
  for (const auto& reason : run.verdict.reasons) part.items.push_back(item(reason, style.width));
  return part;
}

Part comparability_part(const core::RunResult& run, const TextStyle& style) {
  Part part{style.paint("1;33", "Not comparable with bare metal:"), {}};
  for (const auto& reason : run.verdict.not_comparable)  // what follows the colon explains, and the report has it
    part.items.push_back(item(reason.substr(0, reason.find(": ")), style.width));
  return part;
}

Part phases_part(const std::vector<PhaseView>& views, const TextStyle& style) {
  core::TextTable table({"phase", "#max", "#p99.9", "#p50", "#exposure", "status"});
  size_t rows = 0;
  for (const PhaseView& view : views) {
    const core::Phase& phase = view.phase;
    if (!is_of_the_box(phase)) continue;
    Lines row = {core::shown_name(phase), "-", "-", "-", "-", core::to_string(phase.status)};
    if (view.all.samples > 0) {
      row[1] = core::latency_text(view.all.max_ns);
      const auto quantile = [&](double level) {
        const auto ns = shown_quantile(phase, view.all, level);
        return ns ? core::latency_text(*ns) : std::string("-");
      };
      row[2] = quantile(0.999);
      row[3] = quantile(0.5);
    }
    if (phase.exposure_s > 0) row[4] = core::duration_text(phase.exposure_s);
    table.row(std::move(row));
    ++rows;
  }
  Lines lines = lines_of(table.text(style.width));
  Part part;
  if (rows == 0) return part;
  part.heading = lines.front();
  for (size_t i = 1; i < lines.size(); ++i) part.items.push_back({lines[i]});
  return part;
}

// All controls in one line: those that failed are among the verdict's reasons.
Part control_part(const core::RunResult& run) {
  core::StallCounts counts;
  std::set<std::string> meters;
  for (const auto& phase : run.phases) {
    if (!phase.control || phase.control->stalls.empty()) continue;
    meters.insert(phase.control->meter);
    for (const auto& stall : phase.control->stalls) counts.add(stall);
  }
  if (counts.planted == 0) return {};
  return {"",
          {{fmt::format("  control: {} ({})", core::to_string(counts, " planted stalls"), fmt::join(meters, ", "))}}};
}

// Hints, not part of the verdict: a line for each phase. The report says more of them.
Part suspicious_part(const std::vector<PhaseView>& views, const TextStyle& style) {
  Part part;
  for (const PhaseView& view : views) {
    if (!is_of_the_box(view.phase) || unfit_because(view.phase)) continue;
    if (const std::string words = suspicion_words(view); !words.empty())
      part.items.push_back(
          lines_of(core::wrapped(core::printable(fmt::format("{}, because {}", core::shown_name(view.phase), words)),
                                 style.width, "  suspicious: ")));
  }
  return part;
}

// Who had the largest sample of each phase; where nobody looked, why.
Part largest_part(const std::vector<PhaseView>& views, const TextStyle& style) {
  Part part;
  for (const auto& lines : {culprit_lines(views), not_watched_lines(views)})
    for (const std::string& line : lines)
      part.items.push_back(lines_of(core::wrapped(line, style.width, "  largest: ")));
  return part;
}

// What a longer run would show, a line for each phase; and one for all of which nothing can be said.
Part tails_part(const std::vector<PhaseView>& views, const TextStyle& style) {
  Part part;
  std::string refused;
  for (const PhaseView& view : views) {
    const auto tail = tail_view(view);
    if (!tail) continue;
    const std::string name = core::printable(core::shown_name(view.phase));
    if (tail->levels.empty())
      refused += (refused.empty() ? "" : ", ") + name;
    else
      part.items.push_back(
          lines_of(core::wrapped(fmt::format("{}: {}", name, tail_levels(*tail)), style.width, "  tail: ")));
  }
  if (!refused.empty())
    part.items.push_back(lines_of(
        core::wrapped(fmt::format("no extrapolation of {}; the report says why", refused), style.width, "  tail: ")));
  return part;
}

Part tracers_part(const core::RunResult& run, const TextStyle& style) {
  Part part{"", {}};
  for (const auto& comparison : run.comparisons)
    if (!comparison.beside) part.items.push_back(lines_of(core::wrapped(comparison.verdict, style.width, "  ")));
  return part;
}

// What no reason of the verdict says already, each once: an arm has the warnings of its whole comparison.
Part warnings_part(const core::RunResult& run, const TextStyle& style) {
  Part part{"Warnings:", {}};
  std::set<std::string> told;
  const auto add = [&](const core::Phase& phase, const std::string& warning) {
    const std::string text = (phase.comparison.empty() ? phase.name : phase.comparison) + ": " + warning;
    if (told.insert(text).second) part.items.push_back(item(text, style.width));
  };
  for (const auto& phase : run.phases) {
    const auto reason = unfit_because(phase);
    const auto& known = run.verdict.reasons;
    if (reason && std::none_of(known.begin(), known.end(),
                               [&](const auto& one) { return one.find(*reason) != std::string::npos; }))
      add(phase, (phase.arm.empty() || phase.comparison.empty() ? "" : phase.arm + ": ") + *reason);
    for (const auto& warning : phase.warnings) add(phase, warning);
  }
  return part;
}

Part settings_part(const core::RunResult& run, const TextStyle& style) {
  using Seen = core::SettingObservation::Verdict;
  Part part;
  size_t unknown = 0;
  for (const auto& row : run.preflight) {
    unknown += row.verdict == Seen::unknown ? 1 : 0;
    if (row.verdict != Seen::bad) continue;
    const std::string seen = fmt::format("{} is {}", row.name, core::cut_to(row.observed, kObservedWidth));
    part.items.push_back(item(row.fix.empty() ? seen : seen + ": " + row.fix, style.width));
  }
  part.heading = fmt::format("Settings that are not as real time wants them{}:",
                             unknown > 0 ? fmt::format(" ({} more could not be read)", unknown) : "");
  return part;
}

Lines about_the_run(const core::RunResult& run, unsigned width) {
  std::string text = box_text(run);
  if (!run.plan.empty()) text += fmt::format("{}plan {}", text.empty() ? "" : "; ", run.plan);
  Lines lines;
  if (!run.label.empty()) lines.push_back(core::cut_to(core::printable(run.label), width));
  if (!text.empty()) lines.push_back(core::cut_to(core::printable(text), width));
  if (run.state != core::RunResult::State::complete)
    lines.push_back(fmt::format("This run is not complete ({}).", core::to_string(run.state)));
  return lines;
}

}  // namespace

std::string run_summary(const core::RunResult& run, const std::string& more, const std::vector<std::string>& last,
                        unsigned width, bool colour) {
  const TextStyle style{std::max(width, kNarrowest), colour};
  size_t room = kSummaryLines - std::min<size_t>(last.size(), kSummaryLines);
  const auto take = [&](const Part& part, size_t at_most) {
    Lines lines = fitted(part, std::min(room, at_most), more);
    room -= lines.size();
    return lines;
  };
  const auto take_whole = [&](Lines lines) {
    lines.resize(std::min(lines.size(), room));
    room -= lines.size();
    return lines;
  };
  std::vector<PhaseView> views;
  views.reserve(run.phases.size());
  for (const auto& phase : run.phases) views.emplace_back(phase);
  Lines verdict = take(verdict_part(run, style), 6);
  if (verdict.empty()) verdict = take_whole({verdict_line(run, style)});
  const Lines about = take_whole(about_the_run(run, style.width));
  const Lines phases = take(phases_part(views, style), 9);
  const Lines control = take(control_part(run), 1);
  const Lines largest = take(largest_part(views, style), 4);
  const Lines suspicious = take(suspicious_part(views, style), 3);
  const Lines tails = take(tails_part(views, style), 3);
  const Lines comparability = take(comparability_part(run, style), 4);
  const Lines tracers = take(tracers_part(run, style), 5);
  const Lines warnings = take(warnings_part(run, style), std::max<size_t>(3, room / 3));
  const Lines settings = take(settings_part(run, style), room);

  std::string text;
  const std::vector<const Lines*> parts = {&about,   &phases,   &control,  &largest,       &suspicious, &tails,
                                           &tracers, &settings, &warnings, &comparability, &verdict,    &last};
  for (const Lines* lines : parts)
    for (const std::string& line : *lines) text += line + "\n";
  return text;
}

}  // namespace maxlat::reports
