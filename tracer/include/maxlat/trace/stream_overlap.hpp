// SPDX-License-Identifier: MIT
//
// Events that stand in two files. A snapshot of a flight recorder takes the sub-buffer that is being filled as far as
// it is, and the next snapshot takes it again, whole. Files of one stream (same trace, same name) then overlap: every
// packet of the earlier that begins where the later file begins, or after it, is in the later one, with all that it
// has.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/trace/trace_folder.hpp>
#include <string>
#include <vector>

namespace maxlat::trace {

class StreamOverlap {
 public:
  explicit StreamOverlap(const std::vector<StoredProcess>& processes);

  // Packets of this file that begin at this time (ticks) or later are in a later file, too. All ones: none are.
  std::uint64_t begins(const std::string& file) const {
    const auto found = begins_.find(file);
    return found == begins_.end() ? ~std::uint64_t{0} : found->second;
  }

 private:
  std::map<std::string, std::uint64_t> begins_;
};

}  // namespace maxlat::trace
