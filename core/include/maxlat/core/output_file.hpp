// SPDX-License-Identifier: MIT
//
// Beside write_atomically() of run_result.hpp: the question asked before a measurement, so that hours of it are not
// lost to a wrong path.
#pragma once

#include <maxlat/core/result.hpp>
#include <string>

namespace maxlat::core {

// Whether write_atomically() could write there now. Leaves what is there untouched. A disk that fills up later is not
// foreseen.
Status check_writable(const std::string& path);

}  // namespace maxlat::core
