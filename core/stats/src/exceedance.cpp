// SPDX-License-Identifier: MIT
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <maxlat/core/stats/exceedance.hpp>

namespace maxlat::core {
namespace {

constexpr std::uint64_t kMostAllowed = 10'000;

// The Poisson mean of which so few events, or fewer, have this probability.
double mean_above(std::uint64_t events, double probability) {
  const boost::math::chi_squared around(2 * static_cast<double>(events) + 2);
  return boost::math::quantile(boost::math::complement(around, probability)) / 2;
}

// The share of which so few of the samples, or fewer, have this probability.
double share_above(std::uint64_t events, std::uint64_t samples, double probability) {
  if (events == samples) return 1;
  const auto k = static_cast<double>(events), n = static_cast<double>(samples);
  return boost::math::quantile(boost::math::complement(boost::math::beta_distribution<>(k + 1, n - k), probability));
}

double share_under(std::uint64_t events, std::uint64_t samples, double probability) {
  if (events == 0) return 0;
  const auto k = static_cast<double>(events), n = static_cast<double>(samples);
  return boost::math::quantile(boost::math::beta_distribution<>(k, n - k + 1), probability);
}

}  // namespace

Interval events_interval(std::uint64_t events, double confidence) {
  const double beyond = (1 - confidence) / 2;
  if (events == 0) return {0, mean_above(0, beyond)};
  const boost::math::chi_squared below(2 * static_cast<double>(events));
  return {boost::math::quantile(below, beyond) / 2, mean_above(events, beyond)};
}

double events_below(std::uint64_t events, double confidence) {
  return mean_above(events, 1 - confidence);
}

Interval share_interval(std::uint64_t events, std::uint64_t samples, double confidence) {
  const double beyond = (1 - confidence) / 2;
  return {share_under(events, samples, beyond), share_above(events, samples, beyond)};
}

double share_below(std::uint64_t events, std::uint64_t samples, double confidence) {
  return share_above(events, samples, 1 - confidence);
}

double time_to_show(double rate, std::uint64_t allowed, double confidence) {
  return events_below(allowed, confidence) / rate;
}

std::optional<PlannedRun> plan_run(double rate, double likely_rate, double confidence, double least_chance) {
  if (!(likely_rate < rate)) return {};
  for (std::uint64_t allowed = 0; allowed <= kMostAllowed; ++allowed) {
    const double time = time_to_show(rate, allowed, confidence);
    const double expected = likely_rate * time;
    const double chance = expected > 0 ? boost::math::gamma_q(static_cast<double>(allowed) + 1, expected) : 1;
    if (chance >= least_chance) return PlannedRun{allowed, time, chance};
  }
  return {};
}

std::uint64_t samples_above(const CpuResult& cpu, double limit_ns) {
  if (limit_ns >= cpu.max_ns) return 0;  // the maximum is known to the sample, bins are not
  std::uint64_t above = cpu.overflow_count;
  for (const Bin& bin : cpu.bins) above += bin.high_ns > limit_ns ? bin.count : 0;
  return above;
}

}  // namespace maxlat::core
