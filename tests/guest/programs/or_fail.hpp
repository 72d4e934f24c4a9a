// SPDX-License-Identifier: MIT
// For the guest programs that trace: what must work ends the program if it does not, with a line.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <maxlat/base/result.hpp>
#include <string>

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}
inline void must(const maxlat::base::Status& status) {
  if (!status) fail(status.error().text);
}
