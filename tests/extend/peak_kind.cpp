// SPDX-License-Identifier: MIT
//
// peak, for monitors: how its words are read.
#include <maxlat/sensors/sensor_kind.hpp>

#include "peak.hpp"

namespace maxlat::sensors {
namespace {

SensorValue read_peak(const std::uint8_t* sensor, const CheckedSensor& checked) {
  const auto& words = *reinterpret_cast<const PeakWords*>(sensor);
  auto value = std::make_shared<PeakValue>();
  value->largest = __atomic_load_n(&words.largest, __ATOMIC_RELAXED);  // relaxed, both: each is a recent one
  value->posts = __atomic_load_n(&words.posts, __ATOMIC_RELAXED);
  value->limit = checked.shape[0];
  return value;
}

}  // namespace

extern const SensorKindDefinition kPeakKind{
    .number = kPeakNumber,
    .word = "peak",
    .layout_version = kPeakVersion,
    .kind = SensorKind{kPeakNumber},
    .size_of = size_without_shape<PeakWords>,
    .read = read_peak,
};

}  // namespace maxlat::sensors
