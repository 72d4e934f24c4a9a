// SPDX-License-Identifier: MIT
#include "metadata_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <maxlat/trace/ctf_format.hpp>
#include <string_view>

namespace maxlat::trace_tools {
namespace {

// "typealias integer { size = 8; ... } := u8;", by its name: u8. Each is a line.
std::map<std::string_view, std::string_view> types_in(std::string_view metadata) {
  std::map<std::string_view, std::string_view> types;
  while (!metadata.empty()) {
    const std::string_view line = metadata.substr(0, metadata.find('\n'));
    metadata.remove_prefix(std::min(line.size() + 1, metadata.size()));
    const std::size_t name = line.rfind(":= ");
    if (line.starts_with("typealias ") && name != line.npos) types.emplace(line.substr(name + 3), line);
  }
  return types;
}

}  // namespace

std::vector<std::string> audit_metadata(const trace::TraceProcess& process) {
  std::vector<std::string> findings;
  const std::string path = process.folder + "/metadata";
  const std::string written = trace::metadata_of_trace({}, {});
  const auto ours = types_in(written);
  for (const auto& [name, line] : types_in(*process.metadata)) {
    const auto known = ours.find(name);
    if (known != ours.end() && known->second != line)
      findings.push_back(fmt::format("{}: others read it otherwise: \"{}\" is not \"{}\"", path, line, known->second));
  }
  if (process.metadata->find("event.context := struct { u32 cpu_id; };") != std::string::npos)
    findings.push_back(path + ": others read another cpu_id: its event.context lacks align(64), as maxlat's once did");
  return findings;
}

}  // namespace maxlat::trace_tools
