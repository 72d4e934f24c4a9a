// SPDX-License-Identifier: MIT
//
// The books that a recorder leaves beside a process's streams (trace/ctf_format.hpp, BOOKS): what was produced in each
// channel, and what became of it.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct StoredBooks {
  std::string channel;
  std::map<std::string, std::uint64_t> counts;  // "produced", "recorded", "lost_full" ...

  std::uint64_t count(const std::string& name) const {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  }
};

// Empty when there are none. ERRORS: there are, and they cannot be read.
core::Result<std::vector<StoredBooks>> read_books(const std::string& process_folder);

// Names of the counts that together must be what was produced.
extern const std::vector<std::string> kFates;

}  // namespace maxlat::trace_tools
