// SPDX-License-Identifier: MIT
// Many sensors of another kind side by side, which are read as one of that kind: their sum.
#include <maxlat/sensors/striped.h>

#include <algorithm>
#include <maxlat/sensors/sensor_kind.hpp>

#include "sensors/group_layout.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

std::uint64_t size_of_striped(const std::uint64_t (&shape)[2]) {
  const bool is_one = shape[0] > 0 && shape[0] <= MAXLAT_STRIPED_MAX && shape[1] > sizeof(maxlat_sensor) &&
                      shape[1] % MAXLAT_SENSOR_ALIGNMENT == 0 && shape[1] <= detail::kLargestGroup;
  return is_one ? sizeof(maxlat_sensor) + shape[0] * shape[1] : 0;
}

// The stripes' own heads are looked at once, the first's: all are read as that says.
const char* check_stripes(const std::uint8_t* sensor, CheckedSensor& checked) {
  checked.first = sizeof(maxlat_sensor);
  checked.stripes = checked.shape[0];
  checked.bytes_of_stripe = checked.shape[1];
  const maxlat_sensor stripe = trace::copy_of(reinterpret_cast<const maxlat_sensor*>(sensor)[1]);
  const SensorKindDefinition* const kind = find_sensor_kind(stripe.kind);
  if (kind == nullptr || kind->add_up == nullptr || kind->layout_version != stripe.layout_version ||
      stripe.magic != MAXLAT_SENSOR_MAGIC || kind->size_of(stripe.shape) != checked.bytes_of_stripe)
    return "its stripes";
  checked.kind = kind;
  std::copy(std::begin(stripe.shape), std::end(stripe.shape), checked.shape);
  return nullptr;
}

}  // namespace

extern const SensorKindDefinition kStripedKind{
    .number = MAXLAT_SENSOR_STRIPED,
    .word = "striped",
    .layout_version = MAXLAT_STRIPED_VERSION,
    .kind = SensorKind::unknown,  // that of the stripes
    .size_of = size_of_striped,
    .check = check_stripes,
};

}  // namespace maxlat::sensors
