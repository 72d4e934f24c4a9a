// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "load_definition.hpp"

namespace maxlat::loadgen {

const std::vector<const LoadDefinition*>& load_table() {
  static const std::vector<const LoadDefinition*> table = {
      &kHackbenchLoad, &kStressNgLoad, &kKernelBuildLoad, &kCommandLoad,  // foreign
      &kCpuLoad,       &kCacheLoad,    &kMemoryLoad,      &kTimersLoad,   // built in
      &kForkLoad,      &kDiskLoad,     &kNetworkLoad,
  };
  return table;
}

const std::vector<LoadKind>& load_kinds() {
  static const std::vector<LoadKind> kinds = [] {
    std::vector<LoadKind> all;
    for (const LoadDefinition* definition : load_table()) all.push_back(definition->kind);
    return all;
  }();
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
