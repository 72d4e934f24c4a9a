// SPDX-License-Identifier: MIT
#include "unit_changes.hpp"

#include <optional>
#include <string>

#include "slices.hpp"

namespace maxlat::shield {
namespace {

// `now`: as slices_cpus() has it.
Standing slice_standing(const Change& change, const std::optional<std::string>& now, const Surface& surface) {
  const Slice before = slice_from_line(change.before), wanted = slice_from_line(change.wanted);
  if (!now) return Standing::gone;
  if (*now == before.cpus) return Standing::as_before;
  const std::string cpus = without_mark(*now);
  // set_slices(): the drop-in is there still.
  const bool half_undone = cpus == core::to_string(surface.online()) || cpus == without_mark(before.cpus);
  return half_undone || cpus == wanted.cpus ? Standing::ours : Standing::other;
}

std::vector<std::string> units_of(std::span<const Change> changes) {
  std::vector<std::string> units;
  for (const Change& change : changes) units.push_back(slice_from_line(change.before).unit);
  return units;
}

}  // namespace

std::vector<Standing> slices_standings(std::span<const Change> changes, const Surface& surface) {
  const auto now = slices_cpus(surface, units_of(changes));
  std::vector<Standing> standings;
  for (size_t i = 0; i < changes.size(); ++i)
    standings.push_back(now ? slice_standing(changes[i], (*now)[i], surface) : Standing::unknown);
  return standings;
}

std::vector<core::Status> slices_apply(std::span<const Change> changes, Surface& surface) {
  std::vector<Slice> wanted;
  for (const Change& change : changes) wanted.push_back(slice_from_line(change.wanted));
  std::vector<core::Status> applied = set_slices(wanted, surface);
  const auto now = slices_cpus(surface, units_of(changes));
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!applied[i]) continue;
    if (!now)
      applied[i] = now.error();
    else if (const auto& cpus = (*now)[i]; cpus && without_mark(*cpus) != without_mark(wanted[i].cpus))
      applied[i] =
          core::Error{"systemd was to have " + changes[i].wanted + ", and has " + to_line({wanted[i].unit, *cpus})};
  }
  return applied;
}

std::vector<core::Status> slices_undo(std::span<const Change> changes, Surface& surface) {
  std::vector<Slice> before;
  for (const Change& change : changes) before.push_back(slice_from_line(change.before));
  return set_slices(before, surface);
}

}  // namespace maxlat::shield
