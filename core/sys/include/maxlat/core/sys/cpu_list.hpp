// SPDX-License-Identifier: MIT
//
// CPU lists in the kernel's format ("0,2-5,1-7:2"), of any size: no mask has a fixed width, no CPU number is an index.
//
// "Which CPUs may be used" has three answers. online: the CPU runs. allowed: the affinity that this thread inherited
// (taskset, and isolcpus=, which takes the isolated CPUs out of every default affinity). assignable: the CPUs that the
// kernel grants on request, which are those of the cpuset, and those of a shield that is on (shield_door.hpp). A CPU
// that the user names must be assignable; defaults are taken from the allowed CPUs. A tool that confuses these two
// refuses the isolated CPUs that it was made for.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

using CpuList = std::vector<unsigned>;  // ascending, no duplicates
inline constexpr unsigned kLargestCpu = 65535;

// "0,2-5", with stride "1-7:2" (1,3,5,7) or the kernel's groups "0-31:2/8" (the first 2 of every 8). "all" is every
// online CPU, "node1" every CPU of that NUMA node. ERRORS: anything else, an empty list, a range that descends, a
// number above kLargestCpu, no such node.
Result<CpuList> parse_cpu_list(std::string_view text);
// Shortest form with ranges: {0,2,3,4} -> "0,2-4".
std::string to_string(const CpuList& cpus);
// The kernel's hex mask with comma groups ("00000000,0000000f"), leading zeros or not, any length; and back. A mask may
// be empty ("0"), as an interrupt's effective affinity can be.
Result<CpuList> parse_cpu_mask(std::string_view text);
std::string to_mask(const CpuList& cpus);

// Those that there are, and those that are online (/sys/devices/system/cpu), those the calling thread's affinity holds,
// those the kernel would grant it, and those isolated at boot.
Result<CpuList> present_cpus();
Result<CpuList> online_cpus();
Result<CpuList> allowed_cpus();
Result<CpuList> assignable_cpus();
CpuList isolated_cpus();

CpuList difference(const CpuList& a, const CpuList& b);
CpuList union_of(const CpuList& a, const CpuList& b);
CpuList intersection(const CpuList& a, const CpuList& b);
bool contains(const CpuList& cpus, unsigned cpu);

struct CpuPools {
  CpuList present, online, assignable;
};
// Error naming the first CPU of the list that does not exist, is offline, or is not assignable to us. The second form
// is told what there is.
Status require_usable(const CpuList& cpus);
Status require_usable(const CpuList& cpus, const CpuPools& pools);

}  // namespace maxlat::core
