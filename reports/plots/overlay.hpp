// SPDX-License-Identifier: MIT
//
// Several results in one plot, each a curve: arms of a comparison, runs of one box.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <vector>

#include "plot.hpp"

namespace maxlat::reports {

struct Curve {
  std::string name;
  const core::CpuResult* all;  // all CPUs together. REQUIRES: samples
};

// REQUIRES: one curve or more, as below. `kind` and `title` as in Plot.
Plot overlaid_histograms(std::string kind, std::string title, const std::vector<Curve>& curves);
Plot overlaid_nines(std::string kind, std::string title, const std::vector<Curve>& curves);

}  // namespace maxlat::reports
