// SPDX-License-Identifier: MIT
//
// The command line of `maxlat cyclic`.
#pragma once

#include <maxlat/core/sys/command.hpp>
#include <optional>
#include <string>

#include "cyclic_measure.hpp"

namespace maxlat::scheduling {

struct CyclicOptions {
  CyclicSettings settings;
  std::string json_path;
  bool quiet = false, verbose = false;
};

// Nothing when help was asked for, and printed. ERRORS: a mistake on the command line; a CPU that cannot be used.
core::Result<std::optional<CyclicOptions>> parse_cyclic_options(const core::Arguments& arguments);

}  // namespace maxlat::scheduling
