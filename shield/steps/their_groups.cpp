// SPDX-License-Identifier: MIT
//
// Cpusets that somebody else has made on CPUs of the shield. On cgroup v2 a partition of theirs becomes invalid when a
// group beside it is given its CPUs, and the kernel says so to nobody; on v1 they live on beside ours.
#include <fmt/format.h>

#include <maxlat/core/machine/setting_readers.hpp>

#include "step.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;
using core::CpusetPlace;

void look_below(const std::string& parent, const CpuList& cpus, const CpusetPlace& place, const Surface& surface,
                std::vector<GroupOfOthers>& found) {
  for (const std::string& name : surface.view().list(parent)) {
    if (name.starts_with("maxlat-")) continue;
    const std::string group = parent + "/" + name;
    const auto text = surface.view().read(group + "/" + place.prefix + "cpus");
    if (!text) continue;  // a file, or a group without the controller, which then has none below either
    const auto own = core::parse_cpu_list(*text);
    if (own && !core::intersection(*own, cpus).empty())
      found.push_back({group, *own, surface.view().read(group + "/cpuset.cpus.partition").value_or("member")});
    look_below(group, cpus, place, surface, found);
  }
}

}  // namespace

std::vector<GroupOfOthers> groups_of_others(const CpuList& cpus, const CpusetPlace& place, const Surface& surface) {
  std::vector<GroupOfOthers> found;
  look_below(place.mount, cpus, place, surface, found);
  return found;
}

std::string to_string(const std::vector<GroupOfOthers>& groups) {
  std::vector<std::string> texts;
  for (const GroupOfOthers& group : groups)
    texts.push_back(fmt::format("{} (CPU {}{})", group.path, core::to_string(group.cpus),
                                group.partition == "member" ? "" : ", " + group.partition));
  constexpr size_t kMostNamed = 4;
  return core::joined(texts, kMostNamed);
}

}  // namespace maxlat::shield
