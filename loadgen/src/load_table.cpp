// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/loadgen/load_definition.hpp>

namespace maxlat::loadgen {

std::vector<const LoadDefinition*> load_rows();  // of CMakeLists.txt

std::vector<const LoadDefinition*>& load_table() {
  static std::vector<const LoadDefinition*> table = load_rows();
  return table;
}

std::vector<LoadKind> load_kinds() {
  std::vector<LoadKind> kinds;
  for (const LoadDefinition* definition : load_table()) kinds.push_back(definition->kind);
  return kinds;
}

core::Result<NamedLoad> find_load(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view argument = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  std::string known;
  for (const LoadDefinition* definition : load_table()) {
    const LoadKind& kind = definition->kind;
    if (kind.name != name) {
      known += fmt::format("{}{}{}", known.empty() ? "" : " ", kind.name, kind.argument);
      continue;
    }
    if (kind.argument.empty() && colon != std::string_view::npos)
      return core::Error{fmt::format("load '{}' takes no argument", name), fmt::format("write: {}", name)};
    return NamedLoad{definition, std::string(argument)};
  }
  return core::Error{fmt::format("unknown load '{}'", text), "the loads are: " + known};
}

LoadPlan one_worker_per_cpu(std::string_view name, const core::CpuList& cpus, const Work& work) {
  LoadPlan plan{.command = "built-in", .workers = {}};
  for (const unsigned cpu : cpus)
    plan.workers.push_back({.name = fmt::format("load:{}", name), .cpus = {cpu}, .work = work});
  return plan;
}

}  // namespace maxlat::loadgen
