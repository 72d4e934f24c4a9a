// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <maxlat/core/stats/tail_fit.hpp>
#include <optional>

namespace maxlat::core {
namespace {

constexpr double kChiSquared95 = 3.841458820694124;  // of one degree of freedom
constexpr double kFarthest = 100;                    // times the run
constexpr double kGreatestTried = 1.5;               // shape, of the profile
constexpr std::uint64_t kSeedOfBlocks = 1;           // the same answer each time
constexpr int kSearchBits = 12;                      // of the nuisance parameters: the likelihood is flat there

// The profile likelihood of a return level. Two things are not known besides it: the shape, and the share of steps that
// exceed the threshold. Each level has those that suit it best.
class Profile {
 public:
  Profile(const TailFit& fit, double period_s)
      : fit_(fit),
        period_(period_s / fit.step_s),
        above_(static_cast<double>(fit.excesses_ns.size())),
        steps_(static_cast<double>(fit.maxima_ns.size())) {}

  double estimate_ns() const {
    return excess_of(fit_.tail, std::log(period_ * above_ / steps_));
  }  // above the threshold
  double best() const { return log_likelihood(fit_.tail, fit_.excesses_ns) + of_share(above_ / steps_); }
  double at(double level_ns) const {
    const auto cost = [&](double shape) { return -with_shape(level_ns, shape); };
    return -boost::math::tools::brent_find_minima(cost, kLeastShape, kGreatestTried, kSearchBits).second;
  }

 private:
  double of_share(double share) const { return above_ * std::log(share) + (steps_ - above_) * std::log1p(-share); }
  double with_shape(double level_ns, double shape) const {
    const double spread = 4 / std::sqrt(above_), usual = std::log(above_ / steps_);
    // No share so small that the threshold itself is exceeded less often than the level, none as large as 1.
    const double least = std::max(usual - spread, std::log(1 / period_) + 1e-3), most = std::min(usual + spread, -1e-3);
    const auto cost = [&](double log_share) {
      const double scale = level_ns / excess_of({shape, 1}, std::log(period_) + log_share);
      const double likelihood = log_likelihood({shape, scale}, fit_.excesses_ns) + of_share(std::exp(log_share));
      return std::isfinite(likelihood) ? -likelihood : 1e300;
    };
    return -boost::math::tools::brent_find_minima(cost, least, most, kSearchBits).second;
  }

  const TailFit& fit_;
  double period_, above_, steps_;
};

}  // namespace

Result<ReturnLevel> return_level(const TailFit& fit, double period_s) {
  const double run_s = static_cast<double>(fit.maxima_ns.size()) * fit.step_s;
  if (period_s > kFarthest * run_s) return Error{"The period is more than a hundred times as long as the run."};
  if (period_s * static_cast<double>(fit.excesses_ns.size()) < 2 * run_s)
    return Error{"In so short a period even the threshold is hardly exceeded: quantiles say more."};

  const Profile profile(fit, period_s);
  const double estimate_ns = profile.estimate_ns(), best = profile.best();
  const auto beyond = [&](double level_ns) { return 2 * (best - profile.at(level_ns)) - kChiSquared95; };
  const auto root = [&](double inside_ns, double outside_ns) {
    std::uintmax_t tries = 60;
    const auto enough = [](double a, double b) { return std::abs(a - b) <= 1e-4 * std::max(a, b); };
    const auto [low, high] = boost::math::tools::toms748_solve(beyond, std::min(inside_ns, outside_ns),
                                                               std::max(inside_ns, outside_ns), enough, tries);
    return (low + high) / 2;
  };
  double inside_ns = estimate_ns, outside_ns = estimate_ns;
  while (beyond(outside_ns) < 0) {
    inside_ns = outside_ns;
    outside_ns *= 1.3;
    if (outside_ns > 1e4 * estimate_ns) return Error{"The interval has no upper end: too few large latencies."};
  }
  const double high_ns = root(inside_ns, outside_ns);
  for (inside_ns = outside_ns = estimate_ns; beyond(outside_ns) < 0;) {
    inside_ns = outside_ns;
    outside_ns /= 1.3;
  }
  const double low_ns = root(inside_ns, outside_ns);
  ReturnLevel level{fit.threshold_ns + estimate_ns, {fit.threshold_ns + low_ns, fit.threshold_ns + high_ns}, {}};
  level.blocks = block_level(fit.maxima_ns, period_s / fit.step_s, kSeedOfBlocks);
  if (level.blocks &&
      (level.blocks->interval.low > level.interval_ns.high || level.blocks->interval.high < level.interval_ns.low))
    return Error{"Peaks over a threshold and the maxima of blocks lead to different levels."};
  return level;
}

}  // namespace maxlat::core
