// SPDX-License-Identifier: MIT
#include <maxlat/core/sys/process.hpp>

#include "cyclictest_meter.hpp"
#include "own_meter.hpp"
#include "tracer_meter.hpp"

namespace maxlat::rteval_ext {

std::unique_ptr<Meter> make_meter(PhaseKind kind) {
  if (kind == PhaseKind::cyclictest) return std::make_unique<CyclictestMeter>();
  if (kind == PhaseKind::tracer) return std::make_unique<TracerMeter>(core::own_executable());
  return std::make_unique<OwnMeter>(core::own_executable(), kind);
}

}  // namespace maxlat::rteval_ext
