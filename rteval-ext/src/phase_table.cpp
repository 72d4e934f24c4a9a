// SPDX-License-Identifier: MIT
#include "phase_definition.hpp"

namespace maxlat::rteval_ext {

std::vector<PhaseKind>& phase_table() {
  static std::vector<PhaseKind> table = {&kControlPhase, &kTracerPhase, &kHwlatPhase, &kCyclictestPhase, &kNptPhase};
  return table;
}

}  // namespace maxlat::rteval_ext
