// SPDX-License-Identifier: MIT
#include "moved_change.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/cpuset_place.hpp>

namespace maxlat::shield {
namespace {

using core::CpuList;
using core::CpusetPlace;

CpuList list_of(const std::string& text) {
  const auto cpus = core::parse_cpu_list(text);
  return cpus ? *cpus : CpuList{};
}

CpuList online_cpus_of(const core::Task& task, const Surface& surface) {
  return core::intersection(core::cpus_of(surface.view(), task).value_or(CpuList{}), surface.online());
}

bool is_within(const CpuList& cpus, const CpuList& all) {
  return !cpus.empty() && core::difference(cpus, all).empty();
}

// All that a thread may use there: of the nearest group upwards that has CPUs of its own.
CpuList cpus_of_group(std::string group, const CpusetPlace& place, const Surface& surface) {
  const std::string file = place.prefix + (place.version == CpusetPlace::Version::two ? "cpus.effective" : "cpus");
  while (group.size() >= place.mount.size()) {
    if (const CpuList cpus = list_of(surface.view().read(group + "/" + file).value_or("")); !cpus.empty()) return cpus;
    group.resize(group.rfind('/'));
  }
  return surface.online();
}

Standing standing_by_mask(const Change& change, const CpuList& now, const CpuList& online) {
  if (same_online(now, list_of(change.before), online)) return Standing::as_before;
  // Who takes all CPUs again has left no mask that we would have to respect.
  const bool is_ours = same_online(now, list_of(change.wanted), online) || same_online(now, online, online);
  return is_ours ? Standing::ours : Standing::other;
}

core::Status set_mask(const Change& change, const CpuList& cpus, Surface& surface) {
  const core::Status set = surface.set_affinity(change.task, cpus);
  if (set || !task_of(change, surface)) return {};
  return core::Error{fmt::format("{}: {}", change.name, set.error().text)};
}

}  // namespace

std::string group_of(const core::Task& task, const Surface& surface) {
  const auto place = core::cpuset_place(surface.view().root);
  if (!place) return {};
  return place->group_in(surface.view().read(fmt::format("/proc/{}/task/{}/cgroup", task.pid, task.tid)).value_or(""));
}

bool is_in_group_of_shield(const core::Task& task, const Surface& surface) {
  const auto place = core::cpuset_place(surface.view().root);
  return place && group_of(task, surface) == place->group();
}

// `before` is what it had when it was outside. A thread that has come out by an off() that was cut off may have all
// CPUs of its group instead: before Linux 6.2 whoever changes groups does.
Standing moved_standing(const Change& change, const Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return Standing::gone;
  const CpuList online = surface.online(), now = online_cpus_of(*task, surface);
  if (change.path.empty()) return standing_by_mask(change, now, online);
  if (is_in_group_of_shield(*task, surface)) return Standing::ours;
  if (surface.view().list(change.path).empty()) return Standing::gone;
  if (group_of(*task, surface) != change.path) return Standing::other;
  if (same_online(now, list_of(change.before), online)) return Standing::as_before;
  const auto place = core::cpuset_place(surface.view().root);
  const bool is_the_kernels = place && same_online(now, cpus_of_group(change.path, *place, surface), online);
  return is_the_kernels ? Standing::ours : Standing::other;
}

bool moved_stands(const Change& change, const Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return false;
  if (!change.path.empty()) return is_in_group_of_shield(*task, surface);
  return is_within(online_cpus_of(*task, surface), list_of(change.wanted));
}

// A mask that lies within the shield is its owner's choice, and kept.
core::Status moved_apply(const Change& change, Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return {};
  if (!change.path.empty() && !is_in_group_of_shield(*task, surface)) {
    const auto place = core::cpuset_place(surface.view().root);
    if (!place) return core::Error{"the cpuset of the shield is not there any more"};
    const core::Status written = surface.write(place->process_file(), task->tid);
    if (!written && task_of(change, surface)) return written;
  }
  const CpuList wanted = list_of(change.wanted), had = list_of(change.before), online = surface.online();
  const CpuList now = online_cpus_of(*task, surface);
  const bool has_choice = is_within(had, wanted);
  if (has_choice ? same_online(now, had, online) : is_within(now, wanted)) return {};
  return set_mask(change, has_choice ? had : wanted, surface);
}

core::Status moved_undo(const Change& change, Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return {};
  if (!change.path.empty() && is_in_group_of_shield(*task, surface)) {
    const core::Status out = bring_out(*task, change.path, surface);
    if (!out && task_of(change, surface)) return out;
  }
  const CpuList before = list_of(change.before);
  if (same_online(online_cpus_of(*task, surface), before, surface.online())) return {};
  return set_mask(change, before, surface);
}

core::Status bring_out(const core::Task& task, const std::string& path, Surface& surface) {
  const auto place = core::cpuset_place(surface.view().root);
  if (!place) return core::Error{"the cpusets are not there any more"};
  if (!surface.view().list(path).empty() && surface.write(path + "/cgroup.procs", task.tid)) return {};
  return surface.write(place->outside_file(), task.tid);
}

}  // namespace maxlat::shield
