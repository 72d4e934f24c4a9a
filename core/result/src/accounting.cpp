// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/late_wakeup.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "run_names.hpp"

namespace maxlat::core {
namespace {

constexpr size_t kPartsByName = 3;

bool has_a_name(const AccountedTime& part) {
  const bool idle = part.kind == TimeClass::task && part.name == kIdleTask;
  return part.kind != TimeClass::around && part.kind != TimeClass::before_history && !idle;
}

const AccountedTime* culprit_among(const std::vector<AccountedTime>& parts, double whole_ns) {
  for (const AccountedTime& part : parts)
    if (part.ns > whole_ns / 2) return has_a_name(part) ? &part : nullptr;
  return nullptr;
}

}  // namespace

const char* to_string(TimeClass kind) {
  return name_of(kind);
}
const char* to_string(Certainty certainty) {
  return name_of(certainty);
}

std::string name_of(const AccountedTime& part) {
  if (part.kind == TimeClass::nothing_seen) return "nothing seen: hardware or hypervisor";
  std::string text = name_of(part.kind);
  if (!part.name.empty()) text += " " + part.name;
  if (!part.woken_by.empty()) text += ", woken by " + part.woken_by;
  if (!part.sent_by.empty()) text += ", sent by " + part.sent_by;
  return text;
}

const AccountedTime* culprit_of(const Outlier& outlier) {
  return culprit_among(outlier.accounting, outlier.latency_ns);
}
const AccountedTime* culprit_of(const LateWakeup& wakeup) {
  return culprit_among(wakeup.accounting, wakeup.latency_ns);
}

std::string split_text(const LateWakeup& wakeup) {
  const std::string late =
      wakeup.late_interrupt_ns ? fmt::format("late interrupt {}, ", latency_text(*wakeup.late_interrupt_ns)) : "";
  return fmt::format("{}handler {}, waking {}, others running {}", late, latency_text(wakeup.handler_ns),
                     latency_text(wakeup.waking_ns), latency_text(wakeup.others_ns));
}

std::string accounting_text(const std::vector<AccountedTime>& parts) {
  std::string text;
  double rest_ns = 0;
  const size_t by_name = parts.size() == kPartsByName + 1 ? parts.size() : std::min(parts.size(), kPartsByName);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i >= by_name)
      rest_ns += parts[i].ns;
    else
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name_of(parts[i]), latency_text(parts[i].ns));
  }
  if (by_name < parts.size()) text += fmt::format(", {} others {}", parts.size() - by_name, latency_text(rest_ns));
  return text;
}

}  // namespace maxlat::core
