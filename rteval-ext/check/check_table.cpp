// SPDX-License-Identifier: MIT
#include "check_table.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/text.hpp>
#include <sstream>

namespace maxlat::rteval_ext {
namespace {

using Judgement = core::SettingObservation::Verdict;
using Rows = std::vector<core::SettingObservation>;

constexpr size_t kNameWidth = 24, kVerdictWidth = 7, kExpectedWidth = 28, kGap = 2;

std::string shortened(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

// Words wrapped to a column; a word that is wider is broken, so that columns never run together.
std::vector<std::string> in_column(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream whole(core::wrapped(text, width, "", ""));
  for (std::string line; std::getline(whole, line);) {
    for (; line.size() > width; line.erase(0, width)) lines.push_back(line.substr(0, width));
    lines.push_back(line);
  }
  return lines;
}

// The verdict's column says that it is unknown; here there is room for the reason.
std::string without_unknown(const std::string& observed) {
  constexpr std::string_view kBegin = "unknown (";
  if (!observed.starts_with(kBegin) || !observed.ends_with(')')) return observed;
  return observed.substr(kBegin.size(), observed.size() - kBegin.size() - 1);
}

std::string verdict_text(Judgement verdict, const CheckTextStyle& style) {
  const char* text = verdict == Judgement::info ? "-" : core::to_string(verdict);
  if (!style.colour) return text;
  switch (verdict) {
    case Judgement::ok:
      return fmt::format(fg(fmt::terminal_color::green), "{}", text);
    case Judgement::bad:
      return fmt::format(fg(fmt::terminal_color::red) | fmt::emphasis::bold, "{}", text);
    case Judgement::unknown:
      return fmt::format(fg(fmt::terminal_color::yellow), "{}", text);
    case Judgement::info:
      break;
  }
  return text;
}

}  // namespace

CheckCounts count(const Rows& rows) {
  CheckCounts counts;
  for (const auto& row : rows) {
    switch (row.verdict) {
      case Judgement::ok:
        ++counts.ok;
        break;
      case Judgement::bad:
        ++counts.bad;
        break;
      case Judgement::unknown:
        ++counts.unknown;
        break;
      case Judgement::info:
        ++counts.info;
        break;
    }
  }
  return counts;
}

// Not a core::TextTable: cells of several lines, groups and colours would be in it for this table alone.
std::string check_table(const Rows& rows, const CheckTextStyle& style) {
  const size_t room = std::max<size_t>(style.width, 80) - kNameWidth - kVerdictWidth - kExpectedWidth - 3 * kGap;
  const auto line = [&](const std::string& name, const std::string& observed, const std::string& expected,
                        const std::string& verdict) {
    const std::vector<std::string> whole =
        style.verbose ? in_column(observed, room) : std::vector{shortened(observed, room)};
    const std::vector<std::string> wanted = in_column(expected, kExpectedWidth);
    std::string lines;
    for (size_t i = 0; i < std::max(whole.size(), wanted.size()); ++i) {
      std::string one =
          fmt::format("{:<{}}{:{}}{:<{}}{:{}}{:<{}}{:{}}{}", i == 0 ? name : "", kNameWidth, "", kGap,
                      i < whole.size() ? whole[i] : "", room, "", kGap, i < wanted.size() ? wanted[i] : "",
                      kExpectedWidth, "", kGap, i == 0 ? verdict : "");
      one.erase(one.find_last_not_of(' ') + 1);
      lines += one + "\n";
    }
    return lines;
  };
  std::string text = line("SETTING", "OBSERVED", "EXPECTED", "VERDICT");
  const std::string* group = nullptr;
  for (const auto& row : rows) {
    if (group == nullptr || *group != row.group) text += row.group + "\n";
    group = &row.group;
    text += line("  " + row.name, without_unknown(row.observed), row.expected, verdict_text(row.verdict, style));
  }
  return text;
}

std::string check_reasons(const Rows& rows, const CheckTextStyle& style) {
  std::string text;
  for (const auto& row : rows) {
    if (row.verdict != Judgement::bad && !style.verbose) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("{}: {}\n", row.name, row.observed);
    text += core::wrapped(row.why, style.width, "  why  ", "       ");
    if (!row.fix.empty()) text += core::wrapped(row.fix, style.width, "  fix  ", "       ");
  }
  if (style.verbose || count(rows).unknown == 0) return text;
  text += text.empty() ? "not known:\n" : "\nnot known:\n";
  for (const auto& row : rows)
    if (row.verdict == Judgement::unknown)
      text += core::wrapped(without_unknown(row.observed), style.width, fmt::format("  {}: ", row.name), "    ");
  return text;
}

std::string check_summary(const CheckCounts& counts) {
  return fmt::format("{} settings: {} ok, {} bad, {} unknown, {} for information",
                     counts.ok + counts.bad + counts.unknown + counts.info, counts.ok, counts.bad, counts.unknown,
                     counts.info);
}

core::Exit strict_exit(const CheckCounts& counts) {
  if (counts.bad > 0) return core::Exit::limit_exceeded;
  return counts.unknown > 0 ? core::Exit::invalid : core::Exit::pass;
}

}  // namespace maxlat::rteval_ext
