// SPDX-License-Identifier: MIT
//
// The words of the result's enumerations, as they stand in result.json. Writer, reader and to_string() take them from
// here; the index is the enumerator's value.
#pragma once

#include <array>
#include <maxlat/core/result/run_result.hpp>
#include <string_view>

namespace maxlat::core {

template <typename Enum>
inline constexpr std::array<const char*, 0> kNames{};

template <>
inline constexpr auto kNames<PhaseStatus> = std::array{"ok", "invalid", "skipped", "failed", "interrupted"};
template <>
inline constexpr auto kNames<Verdict::Kind> = std::array{"pass", "fail", "invalid", "not-gated"};
template <>
inline constexpr auto kNames<SettingObservation::Verdict> = std::array{"ok", "bad", "unknown", "info"};
template <>
inline constexpr auto kNames<RuleResult::Outcome> = std::array{"pass", "warning", "waived", "fail", "invalid"};
template <>
inline constexpr auto kNames<RunResult::State> = std::array{"running", "complete", "interrupted"};
template <>
inline constexpr auto kNames<Timeline::Kind> = std::array{"max", "running_max"};
template <>
inline constexpr auto kNames<MeasureDifference::Verdict> =
    std::array{"different", "same", "not shown", "undecided", "not measured"};
template <>
inline constexpr auto kNames<Interruption::Kind> =
    std::array{"device", "timer", "sent", "other", "softirq", "task", "work", "function", "fault"};
template <>
inline constexpr auto kNames<TimeClass> =
    std::array{"nmi",  "smi",  "irq",    "local timer",        "hrtimer",     "timer", "softirq", "ipi", "page fault",
               "work", "task", "around", "before the history", "nothing seen"};
template <>
inline constexpr auto kNames<Certainty> = std::array{"seen", "next to", "unknown"};
template <>
inline constexpr auto kNames<KernelMessage::Level> =
    std::array{"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"};
template <>
inline constexpr auto kNames<PolicyPair::Promise> = std::array{"must", "must not", "may"};

static_assert(static_cast<size_t>(PhaseStatus::interrupted) + 1 == kNames<PhaseStatus>.size());
static_assert(static_cast<size_t>(Verdict::Kind::not_gated) + 1 == kNames<Verdict::Kind>.size());
static_assert(static_cast<size_t>(SettingObservation::Verdict::info) + 1 == kNames<SettingObservation::Verdict>.size());
static_assert(static_cast<size_t>(RuleResult::Outcome::invalid) + 1 == kNames<RuleResult::Outcome>.size());
static_assert(static_cast<size_t>(RunResult::State::interrupted) + 1 == kNames<RunResult::State>.size());
static_assert(static_cast<size_t>(Timeline::Kind::running_max) + 1 == kNames<Timeline::Kind>.size());
static_assert(static_cast<size_t>(MeasureDifference::Verdict::not_measured) + 1 ==
              kNames<MeasureDifference::Verdict>.size());
static_assert(static_cast<size_t>(Interruption::Kind::fault) + 1 == kNames<Interruption::Kind>.size());
static_assert(static_cast<size_t>(TimeClass::nothing_seen) + 1 == kNames<TimeClass>.size());
static_assert(static_cast<size_t>(Certainty::unknown) + 1 == kNames<Certainty>.size());
static_assert(static_cast<size_t>(KernelMessage::Level::debug) + 1 == kNames<KernelMessage::Level>.size());
static_assert(static_cast<size_t>(PolicyPair::Promise::may) + 1 == kNames<PolicyPair::Promise>.size());

template <typename Enum>
const char* name_of(Enum value) {
  return kNames<Enum>[static_cast<size_t>(value)];
}

}  // namespace maxlat::core
