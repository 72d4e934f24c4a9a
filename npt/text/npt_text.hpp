// SPDX-License-Identifier: MIT
//
// The report in npt 1.01's layout, for the screen and for the file of -o. One block per CPU. Differences are
// corrections: the variance is in squared units, the file counts the loops that were made and has the overruns. What
// npt did not tell is in lines that begin with '#'.
#pragma once

#include <maxlat/npt/measure.hpp>
#include <string>

#include "command/options.hpp"

namespace maxlat::npt {

struct TextOptions {
  Unit unit = kMicroseconds;
  bool rows = true;
  bool verbose = false;
};

std::string npt_screen(const Measurement& measurement, const TextOptions& options);
std::string npt_file(const Measurement& measurement, const Unit& unit);

}  // namespace maxlat::npt
