// SPDX-License-Identifier: MIT
#include "plan_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/toml_reader.hpp>
#include <maxlat/loadgen/control.hpp>
#include <maxlat/reports/limit_toml.hpp>
#include <optional>
#include <set>

namespace maxlat::rteval_ext {

namespace {

using core::refuse;

constexpr std::string_view kHint = "docs/plan.md describes the plan; maxlat run --print-plan shows a whole one";

uint64_t duration_of(const toml::node& node, std::string_view key) {
  const uint64_t ns = core::toml_time_ns(node, key);
  if (ns == 0) refuse(node, fmt::format("'{}' must be longer than 0", key));
  return ns;
}

std::string cpus_of(const toml::node& node, std::string_view key, std::string_view word) {
  const std::string text = core::toml_text(node, key);
  if (text == word || text == "all") return text;
  if (const auto list = core::parse_cpu_list(text); !list) {
    refuse(node, fmt::format("'{}' must be \"{}\", \"all\" or a CPU list: {}", key, word, list.error().text));
  }
  return text;
}

PhaseKind kind_of(const toml::node& node, std::string_view key, bool meters_only) {
  const std::string text = core::toml_text(node, key);
  std::vector<std::string_view> known;
  for (const PhaseKind kind : phase_table()) {
    if (meters_only && kind->shape != PhaseDefinition::Shape::meter) continue;
    if (text == kind->name()) return kind;
    known.push_back(kind->name());
  }
  const std::string_view last = known.back();
  known.pop_back();
  refuse(node,
         fmt::format("unknown {} '{}': {} or {}", meters_only ? "meter" : "kind", text, fmt::join(known, ", "), last));
}

std::string name_of(const toml::node& node) {
  const std::string name = core::toml_text(node, "name");
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '-' ||
           c == '_' || c == '.';
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed)) {
    refuse(node, fmt::format("name '{}': letters, digits, blanks, '-', '_' and '.' only", name));
  }
  // The run's own first and last steps have these names.
  if (name.starts_with("preflight"))
    refuse(node, "a phase cannot be named 'preflight': every run begins and ends with it");
  if (name == kShieldStep || name == kShieldAuditStep)
    refuse(node, fmt::format("a phase cannot be named '{}': a shielded run begins with it", name));
  return name;
}

std::vector<uint64_t> lengths_of(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty()) refuse(node, "'lengths' must be a list of durations");
  std::vector<uint64_t> lengths_ns;
  for (const toml::node& length : *list) {
    lengths_ns.push_back(duration_of(length, "lengths"));
    if (lengths_ns.back() > loadgen::kLongestStallNs) refuse(length, "'lengths': a stall is at most 1 s");
  }
  return lengths_ns;
}

StallSettings stalls_of(const toml::node& node) {
  StallSettings stalls;
  for (const auto& [key, value] : core::toml_table(node, "stalls")) {
    if (key == "lengths") {
      stalls.lengths_ns = lengths_of(value);
    } else if (key == "repeats") {
      const auto* repeats = value.as_integer();
      if (repeats == nullptr || repeats->get() < 1 || repeats->get() > 1000) {
        refuse(value, "'repeats' must be a number from 1 to 1000");
      }
      stalls.repeats = static_cast<unsigned>(repeats->get());
    } else {
      refuse(value, fmt::format("unknown key '{}' in [phase.stalls]", std::string_view(key)));
    }
  }
  return stalls;
}

unsigned rounds_of(const toml::node& node) {
  const auto* rounds = node.as_integer();
  if (rounds == nullptr || rounds->get() < 1 || rounds->get() > 1000) {
    refuse(node, "'rounds' must be a number from 1 to 1000");
  }
  return static_cast<unsigned>(rounds->get());
}

std::vector<PhaseKind> meters_of(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty()) refuse(node, "'meters' must be a list of meters");
  std::vector<PhaseKind> meters;
  for (const toml::node& element : *list) {
    const PhaseKind meter = kind_of(element, "meters", true);
    if (std::find(meters.begin(), meters.end(), meter) != meters.end())
      refuse(element, fmt::format("meter '{}' is there twice", to_string(meter)));
    meters.push_back(meter);
  }
  return meters;
}

// A [[phase]] as it is written, and where a complaint about it would point to.
struct WrittenPhase {
  PhasePlan phase;
  const toml::node* limits = nullptr;
  const toml::node* arguments = nullptr;
  const toml::node* of_control = nullptr;  // a key that only a control has
  const toml::node* of_meter = nullptr;    // a key that only a measuring phase has
  const toml::node* of_tracer = nullptr;   // a key that only a comparison of tracers has
  bool has_kind = false;
};

WrittenPhase written_phase(const toml::table& table) {
  WrittenPhase written;
  PhasePlan& phase = written.phase;
  for (const auto& [key, value] : table) {
    if (key == "name")
      phase.name = name_of(value);
    else if (key == "kind")
      phase.kind = kind_of(value, "kind", false), written.has_kind = true;
    else if (key == "duration")
      phase.duration_ns = duration_of(value, "duration"), written.of_meter = &value;
    else if (key == "cpus")
      phase.cpus = cpus_of(value, "cpus", "measured");
    else if (key == "loads")
      phase.loads = core::toml_texts(value, "loads"), written.of_meter = &value;
    else if (key == "load_cpus")
      phase.load_cpus = cpus_of(value, "load_cpus", "housekeeping"), written.of_meter = &value;
    else if (key == "arguments")
      phase.arguments = core::toml_texts(value, "arguments"), written.arguments = written.of_meter = &value;
    else if (key == "stalls")
      phase.stalls = stalls_of(value), written.of_control = &value;
    else if (key == "limits")
      written.limits = written.of_meter = &value;
    else if (key == "arms")
      phase.arms = core::toml_texts(value, "arms"), written.of_tracer = &value;
    else if (key == "rounds")
      phase.rounds = rounds_of(value), written.of_tracer = &value;
    else if (key == "meters")
      phase.meters = meters_of(value), written.of_control = &value;
    else
      refuse(value, fmt::format("unknown key '{}' in [[phase]]", std::string_view(key)));
  }
  return written;
}

// What is missing for a phase of its kind, and what belongs to another kind.
void refuse_unfit(const toml::node& node, const WrittenPhase& written) {
  const PhasePlan& phase = written.phase;
  if (phase.name.empty()) refuse(node, "a [[phase]] needs a name");
  if (!written.has_kind) refuse(node, fmt::format("phase '{}' needs a kind", phase.name));
  if (is_control(phase.kind)) {
    if (written.of_meter != nullptr) refuse(*written.of_meter, "a control has no duration, loads, arguments or limits");
    if (phase.meters.empty()) refuse(node, fmt::format("control '{}' needs meters", phase.name));
  } else {
    if (written.of_control != nullptr) refuse(*written.of_control, "only a control has meters and stalls");
    if (phase.duration_ns == 0) refuse(node, fmt::format("phase '{}' needs a duration", phase.name));
  }
  if (is_comparison(phase.kind)) {
    if (phase.arms.size() < 2) refuse(node, fmt::format("tracer phase '{}' needs two arms or more", phase.name));
    if (written.limits != nullptr) refuse(*written.limits, "a tracer phase compares: it has no limits");
  } else if (written.of_tracer != nullptr) {
    refuse(*written.of_tracer, "only a tracer phase has arms and rounds");
  }
  if (written.arguments != nullptr && phase.kind->refused != nullptr)
    if (const std::string why = phase.kind->refused(phase.arguments); !why.empty())
      refuse(*written.arguments, "'arguments': " + why);
}

PhasePlan phase_of(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) refuse(node, "each [[phase]] must be a table");
  WrittenPhase written = written_phase(*table);
  refuse_unfit(node, written);
  if (written.limits != nullptr)
    written.phase.limits = reports::toml_limits_of_phase(*written.limits, written.phase.name);
  return std::move(written.phase);
}

ShieldUse shield_of(const toml::node& node) {
  if (const auto* wanted = node.as_boolean()) return wanted->get() ? ShieldUse::wanted : ShieldUse::none;
  if (const auto* text = node.as_string(); text != nullptr && text->get() == "required") return ShieldUse::required;
  refuse(node, "'shield' must be true, false or \"required\"");
}

core::CpuList housekeeping_of(const toml::node& node) {
  core::Result<core::CpuList> cpus = core::parse_cpu_list(core::toml_text(node, "housekeeping"));
  if (!cpus) refuse(node, "'housekeeping' must be a CPU list: " + cpus.error().text);
  return *std::move(cpus);
}

bool flag_of(const toml::node& node, std::string_view key) {
  if (!node.is_boolean()) refuse(node, fmt::format("'{}' must be true or false", key));
  return node.as_boolean()->get();
}

std::vector<std::pair<std::string, SettingUse>> settings_of(const toml::node& node) {
  const toml::table* rows = node.as_table();
  if (rows == nullptr) refuse(node, "settings are written as [settings], each with \"required\" or \"comparable\"");
  std::vector<std::pair<std::string, SettingUse>> settings;
  for (const auto& [key, value] : *rows) {
    const std::string name(key.str());
    const auto& known = core::settings();
    if (std::none_of(known.begin(), known.end(), [&](const core::Setting& setting) { return setting.name == name; }))
      refuse(value, fmt::format("unknown setting '{}': maxlat check lists them", name));
    const std::string use = core::toml_text(value, name);
    if (use != "required" && use != "comparable")
      refuse(value, fmt::format("'{}' must be \"required\" or \"comparable\"", name));
    settings.emplace_back(name, use == "required" ? SettingUse::required : SettingUse::comparable);
  }
  return settings;
}

Plan plan_of(const toml::table& document) {
  Plan plan;
  std::set<std::string> names;
  const toml::node* housekeeping = nullptr;
  for (const auto& [key, value] : document) {
    if (key == "name") {
      plan.name = name_of(value);
    } else if (key == "about") {
      plan.about = core::toml_line(value, "about");
    } else if (key == "shield") {
      plan.shield = shield_of(value);
    } else if (key == "housekeeping") {
      plan.housekeeping = housekeeping_of(value), housekeeping = &value;
    } else if (key == "settings") {
      plan.settings = settings_of(value);
    } else if (key == "dma_latency") {
      plan.dma_latency = flag_of(value, key);
    } else if (key == "kernel_events") {
      plan.kernel_events = flag_of(value, key);
    } else if (key == "phase") {
      const toml::array* phases = value.as_array();
      if (phases == nullptr) refuse(value, "phases are written as [[phase]], with two brackets");
      for (const toml::node& phase : *phases) {
        plan.phases.push_back(phase_of(phase));
        if (!names.insert(plan.phases.back().name).second) {
          refuse(phase, fmt::format("two phases are named '{}'", plan.phases.back().name));
        }
      }
    } else {
      refuse(value, fmt::format("unknown key '{}'", std::string_view(key)));
    }
  }
  if (plan.phases.empty()) refuse(document, "the plan has no [[phase]]");
  if (housekeeping != nullptr && plan.shield == ShieldUse::none)
    refuse(*housekeeping, "'housekeeping' needs a shield, and the plan has none; add shield = true");
  return plan;
}

}  // namespace

core::Result<Plan> parse_plan(std::string_view text, const std::string& file_name) {
  core::Result<Plan> plan = core::read_toml(text, file_name, kHint, plan_of);
  if (plan && plan->name.empty()) plan->name = file_name;
  return plan;
}

}  // namespace maxlat::rteval_ext
