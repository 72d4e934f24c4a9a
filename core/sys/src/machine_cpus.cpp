// SPDX-License-Identifier: MIT
#include <maxlat/core/sys/machine_cpus.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <optional>

namespace maxlat::core {

Result<MachineCpus> machine_cpus() {
  const Result<CpuList> online = online_cpus();
  if (!online) return online.error();
  const Result<CpuList> allowed = allowed_cpus();
  if (!allowed) return allowed.error();
  MachineCpus machine;
  // The affinity mask of a shell leaves out the isolated CPUs, which are the very ones to measure. So does a shield.
  const std::optional<ShieldDoor> door = ShieldDoor::find();
  const CpuList shielded = door && door->may_enter() ? door->cpus() : CpuList{};
  machine.isolated = intersection(union_of(isolated_cpus(), shielded), *online);
  machine.online = intersection(*online, union_of(*allowed, machine.isolated));
  return machine;
}

CpuList default_measured(const MachineCpus& machine) {
  if (!machine.isolated.empty()) return machine.isolated;
  CpuList measured = machine.online;
  if (measured.size() > 1) measured.erase(measured.begin());
  return measured;
}

}  // namespace maxlat::core
