// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <maxlat/core/stats/period.hpp>
#include <numbers>
#include <numeric>
#include <vector>

namespace maxlat::core {
namespace {

constexpr std::size_t kFewestEvents = 6;  // three could lie anywhere and still fit some period
constexpr double kPerCell = 8;            // frequencies tried for each that can be told apart: none falls between two
constexpr double kNearlyAsGood = 0.9;     // of the best walk: the period that is a multiple of the best
constexpr double kNear = 0.05;            // of a beat
constexpr double kRateOff = 100e-6;       // of a clock that crystals drive
constexpr std::size_t kMostOthers = 1000;  // enough to tell a pulse, and few enough for a report
constexpr double kFurthest = 2.5e8;       // beats: 70 hours of 1000 a second, a million rates to try

// Sorted; what comes within `shortest` of the one before is the same event. A burst is no evidence of anything but one.
std::vector<double> events_of(std::span<const double> times, double shortest) {
  std::vector<double> sorted(times.begin(), times.end()), events;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i] - sorted[i - 1] > shortest / 2) events.push_back(sorted[i]);
  return events;
}

double distance_squared(std::span<const double> times, double frequency) {
  double across = 0, along = 0;
  for (const double time : times) {
    const double phase = 2 * std::numbers::pi * frequency * time;
    across += std::sin(phase);
    along += std::cos(phase);
  }
  return across * across + along * along;
}

// How many of `others` (in beats away) are near a whole number of beats, at the rate that suits most of them. Each is
// near in one stretch of rates for each whole number that it passes: their ends are counted, not the rates between.
std::size_t most_near(std::span<const double> others, std::size_t rates) {
  const double lowest = 1 - kRateOff, step = 2 * kRateOff / static_cast<double>(rates - 1);
  std::vector<std::int32_t> changes(rates + 1, 0);
  for (const double away : others) {
    const double last = std::floor(away * (1 + kRateOff) + kNear);
    for (double beat = std::ceil(away * lowest - kNear); beat <= last; ++beat) {
      const double begin = std::ceil(((beat - kNear) / away - lowest) / step);
      const double end = std::floor(((beat + kNear) / away - lowest) / step) + 1;
      if (begin >= end) continue;
      ++changes[static_cast<std::size_t>(std::clamp(begin, 0.0, static_cast<double>(rates)))];
      --changes[static_cast<std::size_t>(std::clamp(end, 0.0, static_cast<double>(rates)))];
    }
  }
  std::partial_sum(changes.begin(), changes.end(), changes.begin());
  return static_cast<std::size_t>(*std::max_element(changes.begin(), changes.end()));
}

}  // namespace

std::optional<Period> period_of(std::span<const double> times, double shortest, double alpha) {
  const std::vector<double> events = events_of(times, shortest);
  if (events.size() < kFewestEvents) return std::nullopt;
  const double span = events.back() - events.front();
  if (!(span >= 3 * shortest)) return std::nullopt;
  const auto n = static_cast<double>(events.size());
  const double lowest = 3 / span, highest = 1 / shortest, step = 1 / (span * kPerCell);
  double best_frequency = 0, best = 0;
  for (double frequency = lowest; frequency <= highest; frequency += step) {
    const double distance = distance_squared(events, frequency);
    if (distance <= best) continue;
    best = distance;
    best_frequency = frequency;
  }
  const double apart = std::max(1.0, (highest - lowest) * span);  // frequencies that can be told apart
  // Three for each of them: a maximum between them is found, too.
  const double p = std::min(1.0, 3 * apart * std::exp(-best / n));
  if (!(p <= alpha)) return std::nullopt;
  // What comes every 30 s fits 15 s and 10 s as well: the lowest frequency of those is the thing itself.
  for (int part = static_cast<int>(best_frequency / lowest); part > 1; --part)
    if (distance_squared(events, best_frequency / part) >= kNearlyAsGood * best)
      return Period{part / best_frequency, p};
  return Period{1 / best_frequency, p};
}

bool beats_with(std::span<const double> times, double moment, double rate, double alpha) {
  std::vector<double> others;  // in beats away
  for (const double time : events_of(times, 1 / rate)) {
    const double away = std::abs(time - moment) * rate;
    if (away > 0.5 && away <= kFurthest) others.push_back(away);
  }
  if (others.empty()) return false;
  std::sort(others.begin(), others.end());
  others.resize(std::min(others.size(), kMostOthers));
  // Between two rates the furthest moves by kNear at most.
  const double rates = std::ceil(2 * kRateOff * others.back() / kNear) + 1;
  const std::size_t most = most_near(others, static_cast<std::size_t>(rates));
  if (most == 0) return false;
  const auto k = static_cast<double>(most), n = static_cast<double>(others.size());
  return rates * boost::math::ibeta(k, n - k + 1, 2 * kNear) <= alpha;  // that k or more are so near by chance
}

}  // namespace maxlat::core
