// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/rteval_ext/phase_definition.hpp>

namespace maxlat::rteval_ext {

std::vector<PhaseKind> phase_rows();  // of CMakeLists.txt

std::vector<PhaseKind>& phase_table() {
  static std::vector<PhaseKind> table = phase_rows();
  return table;
}

void announce_phase_kinds() {
  auto& known = core::phase_kinds();
  for (const PhaseKind kind : phase_table())
    if (std::find(known.begin(), known.end(), kind->figures) == known.end()) known.push_back(kind->figures);
}

}  // namespace maxlat::rteval_ext
