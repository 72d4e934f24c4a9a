// SPDX-License-Identifier: MIT
//
// What it costs a loop that the kernel's events are recorded meanwhile: two short pieces of npt, one without and one
// with them, on one CPU. The tracers' phase of a run has it, for a watch is a tracer, too.
#pragma once

#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/rteval_ext/meter.hpp>
#include <memory>
#include <string>

namespace maxlat::rteval_ext {

inline constexpr const char* kWatchingCostFact = "cost of watching";

// As the fact has it. `make_npt` gives a meter for one piece; `json_path` is its file, which is removed. Never fails:
// what was not measured, and why, is the answer then.
std::string watching_cost(const std::function<std::unique_ptr<Meter>()>& make_npt, const core::CpuList& cpus,
                          const std::string& json_path);

}  // namespace maxlat::rteval_ext
