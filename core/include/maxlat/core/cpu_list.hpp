// SPDX-License-Identifier: MIT
//
// CPU lists in the kernel's format ("0,2-5,1-7:2"), of any size: no mask has a fixed width, no CPU number is an index.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <maxlat/core/result.hpp>

namespace maxlat::core {

using CpuList = std::vector<unsigned>;  // ascending, no duplicates

// "0,2-5,1-7:2" (also group syntax "0-31:2/8" as the kernel has it). "all" is every online CPU. ERRORS: anything else,
// an empty list, a range that descends, a number above 65535.
Result<CpuList> parse_cpu_list(std::string_view text);
// Shortest form with ranges: {0,2,3,4} -> "0,2-4".
std::string to_string(const CpuList& cpus);
// The kernel's hex mask with comma groups ("00000000,0000000f"), leading zeros or not, any length; and back.
Result<CpuList> parse_cpu_mask(std::string_view text);
std::string to_mask(const CpuList& cpus);

// Online CPUs (/sys/devices/system/cpu/online), those this process may run on, and those isolated at boot.
Result<CpuList> online_cpus();
Result<CpuList> allowed_cpus();
CpuList isolated_cpus();

CpuList difference(const CpuList& a, const CpuList& b);
CpuList intersection(const CpuList& a, const CpuList& b);

// Error naming the first CPU of the list that does not exist, is offline, or is not allowed to us (cpuset, taskset).
Status require_usable(const CpuList& cpus);

}  // namespace maxlat::core
