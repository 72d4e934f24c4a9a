// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "run_names.hpp"

namespace maxlat::core {
namespace {

constexpr size_t kPartsByName = 3;

bool has_a_name(TimeClass kind) {
  return kind != TimeClass::around && kind != TimeClass::before_history;
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
  for (const AccountedTime& part : outlier.accounting)
    if (part.ns > outlier.latency_ns / 2) return has_a_name(part.kind) ? &part : nullptr;
  return nullptr;
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
