// SPDX-License-Identifier: MIT
//
// Time that the host of a virtual machine ran something else on the machine's CPUs, as the kernel counts it: all CPUs
// together, since boot, in steps of 10 ms. A host need not tell; what it tells is a lower bound.
#pragma once

#include <string>

namespace maxlat::npt {

double stolen_time_s(const std::string& stat_file = "/proc/stat");

}  // namespace maxlat::npt
