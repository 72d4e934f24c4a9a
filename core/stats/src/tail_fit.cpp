// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <maxlat/core/stats/series_checks.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/stats/tail_fit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <numeric>

namespace maxlat::core {
namespace {

constexpr std::size_t kLeastSteps = 500, kLeastExcesses = 50, kMostExcesses = 400;
constexpr std::size_t kLags = 10;
constexpr double kHeaviest = 0.7;  // shape that is believed: from 0.5 on a tail has no variance, and 0.2 is its error
constexpr int kStepsOfMixture = 12;
constexpr unsigned kMostDraws = 399;   // of the bootstrap, at the most
constexpr unsigned kEnoughWorse = 10;  // draws that look worse than the data: the p is known well enough then

// How badly excesses look like the tail that was fitted to them, in three ways. Greater is worse.
enum Misfit { kShape, kGap, kMixture, kMisfits };
using Misfits = std::array<double, kMisfits>;

// Log likelihood of two exponential distributions mixed, by a few steps of expectation and maximisation (Dempster 1977)
// from where the `apart` largest are of the other kind.
double two_exponentials_from(std::span<const double> ascending, std::size_t apart) {
  const auto n = static_cast<double>(ascending.size()), other_n = static_cast<double>(apart);
  const auto middle = ascending.end() - static_cast<std::ptrdiff_t>(apart);
  const double smaller = std::accumulate(ascending.begin(), middle, 0.0);
  const double sum = smaller + std::accumulate(middle, ascending.end(), 0.0);
  double share = other_n / n, small = smaller / (n - other_n), large = (sum - smaller) / other_n;
  const auto densities = [&](double y) {
    return std::pair{(1 - share) / small * std::exp(-y / small), share / large * std::exp(-y / large)};
  };
  for (int step = 0; step < kStepsOfMixture; ++step) {
    double weight = 0, weighted = 0;
    for (const double y : ascending) {
      const auto [one, other] = densities(y);
      const double of_other = other / (one + other);
      weight += of_other;
      weighted += of_other * y;
    }
    share = weight / n;
    large = weighted / weight;
    small = (sum - weighted) / (n - weight);
  }
  double likelihood = 0;
  for (const double y : ascending) {
    const auto [one, other] = densities(y);
    likelihood += std::log(one + other);
  }
  return likelihood;
}

double two_exponentials(std::span<const double> ascending) {
  return std::max(two_exponentials_from(ascending, ascending.size() / 25),
                  two_exponentials_from(ascending, ascending.size() / 4));
}

Misfits misfits_of(std::span<const double> ascending, const ParetoFit& fit) {
  const std::size_t n = ascending.size();
  std::vector<double> e(n);  // exponential of mean 1, were the fit the truth
  std::transform(ascending.begin(), ascending.end(), e.begin(),
                 [&](double excess) { return std::min(exponential_of(fit.tail, excess), 700.0); });
  Misfits misfits{};
  double anderson = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double below = std::log(-std::expm1(-std::max(e[i], 1e-300)));
    anderson -= static_cast<double>(2 * i + 1) * (below - e[n - 1 - i]);
  }
  misfits[kShape] = anderson / static_cast<double>(n) - static_cast<double>(n);
  // Of sorted exponential values the gaps, times the number of values above them, are exponential again (Renyi 1953).
  for (std::size_t i = 1; i < n; ++i)
    misfits[kGap] = std::max(misfits[kGap], static_cast<double>(n - i) * (e[i] - e[i - 1]));
  misfits[kMixture] = two_exponentials(ascending) - fit.log_likelihood;
  return misfits;
}

// The share of draws from the fitted tail that look as badly as the data or worse.
Misfits bootstrap_p(std::span<const double> excesses, const ParetoFit& fit, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Misfits found = misfits_of(excesses, fit);
  std::array<unsigned, kMisfits> worse{};
  unsigned draws = 0;
  Misfits p{};
  while (draws < kMostDraws && *std::min_element(worse.begin(), worse.end()) < kEnoughWorse) {
    ++draws;
    std::vector<double> drawn = draw_excesses(fit.tail, excesses.size(), random);
    std::sort(drawn.begin(), drawn.end());
    const Misfits misfits = misfits_of(drawn, fit_pareto(drawn));
    for (std::size_t m = 0; m < kMisfits; ++m) worse[m] += misfits[m] >= found[m];
  }
  for (std::size_t m = 0; m < kMisfits; ++m) p[m] = (worse[m] + 1.0) / (draws + 1.0);
  return p;
}

struct Exceedances {
  std::vector<double> indicator;  // of each step: 1 above the threshold, else 0
  std::vector<double> when;       // of those above: 0 the first step, 1 the last
  std::vector<double> excess_ns;  // in the order of time
};

Exceedances exceedances_of(const std::vector<double>& maxima_ns, double threshold_ns) {
  Exceedances all;
  for (std::size_t i = 0; i < maxima_ns.size(); ++i) {
    const bool above = maxima_ns[i] > threshold_ns;
    all.indicator.push_back(above ? 1 : 0);
    if (!above) continue;
    all.when.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(maxima_ns.size()));
    all.excess_ns.push_back(maxima_ns[i] - threshold_ns);
  }
  return all;
}

double threshold_of(std::vector<double> maxima_ns) {
  const std::size_t wanted = std::clamp(maxima_ns.size() / 10, kLeastExcesses, kMostExcesses);
  const auto place = maxima_ns.end() - 1 - static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(maxima_ns.begin(), place, maxima_ns.end());
  return *place;
}

// Why the series cannot even be asked. Empty: it can.
std::string unfit_series(const Timeline& timeline, const std::vector<double>& maxima_ns) {
  if (timeline.max_ns.empty() || !(timeline.step_s > 0)) return "The phase has no time line.";
  if (timeline.kind == Timeline::Kind::running_max)
    return "The time line holds only the largest latency so far, not that of each step: whether one depends on the "
           "next cannot be seen.";
  if (maxima_ns.size() >= kLeastSteps) return "";
  return fmt::format("The time line has {} steps of {} with samples; a tail needs {}: {}.", maxima_ns.size(),
                     duration_text(timeline.step_s), kLeastSteps,
                     duration_text(static_cast<double>(kLeastSteps) * timeline.step_s));
}

constexpr std::size_t kInTime = 3;  // the first checks, of the order of time
constexpr struct {
  const char* name;
  const char* claim;
  const char* refusal;
} kChecks[] = {
    {"independence", "large latencies come singly, not in clusters or at a rhythm",
     "The large latencies come in clusters or at a rhythm: they are not independent of one another."},
    {"even rate", "they are spread evenly over the run",
     "The large latencies are not spread evenly over the run: its conditions changed."},
    {"even size", "they become neither greater nor smaller with time",
     "The large latencies became greater or smaller in the course of the run: its conditions changed."},
    {"fit", "they are distributed as one tail is", "The large latencies are not distributed as one tail is."},
    {"no gap", "their sizes leave no gap",
     "The large latencies are of two kinds, with a gap between them: no single tail describes both."},
    {"one tail", "they are not a frequent short tail and a rare long one",
     "The large latencies look like two tails that are mixed, a frequent short one and a rare long one."},
};

// Files the first `made` of the checks, and the refusal by the worst of them, if it fails.
bool refuse_by(std::span<const double> p, std::size_t made, TailFit& result) {
  const std::vector<double> corrected = holm(p);
  result.checks.clear();
  for (std::size_t i = 0; i < made; ++i) result.checks.push_back({kChecks[i].name, kChecks[i].claim, corrected[i]});
  const auto worst = static_cast<std::size_t>(std::min_element(p.begin(), p.end()) - p.begin());
  if (worst >= made || result.checks[worst].holds()) return false;
  result.refusal = kChecks[worst].refusal;
  return true;
}

}  // namespace

TailFit fit_tail(const Timeline& timeline, std::uint64_t seed) {
  TailFit result;
  std::vector<double>& maxima_ns = result.maxima_ns;  // a step without a sample says nothing
  std::copy_if(timeline.max_ns.begin(), timeline.max_ns.end(), std::back_inserter(maxima_ns),
               [](double ns) { return ns > 0; });
  result.step_s = timeline.step_s;
  result.refusal = unfit_series(timeline, maxima_ns);
  if (!result.refusal.empty()) return result;

  result.threshold_ns = threshold_of(maxima_ns);
  const Exceedances above = exceedances_of(maxima_ns, result.threshold_ns);
  result.excesses_ns = above.excess_ns;
  std::sort(result.excesses_ns.begin(), result.excesses_ns.end());
  std::vector<double> distinct = result.excesses_ns;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < kLeastExcesses / 2 || 2 * distinct.size() < result.excesses_ns.size()) {
    result.refusal = fmt::format("The {} largest latencies have only {} different values: the clock is too coarse.",
                                 result.excesses_ns.size(), distinct.size());
    return result;
  }
  const ParetoFit fit = fit_pareto(result.excesses_ns);
  result.tail = fit.tail;
  if (fit.at_bound || fit.tail.shape > kHeaviest) {
    result.refusal = fit.tail.shape > 0
                         ? "The largest latencies are so far apart that the tail has no variance: rare disturbances of "
                           "another kind, or too few of the same, look like this."
                         : "The tail ends too abruptly for a fit: something cuts latencies off.";
    return result;
  }
  // What the order of time rules out needs no bootstrap.
  std::array p{
      ljung_box_p(above.indicator, kLags), evenly_spread_p(above.when), mann_kendall_p(above.excess_ns), 1.0, 1.0, 1.0};
  if (refuse_by(p, kInTime, result)) return result;
  const Misfits drawn = bootstrap_p(result.excesses_ns, fit, seed);
  std::copy(drawn.begin(), drawn.end(), p.begin() + kInTime);
  refuse_by(p, p.size(), result);
  return result;
}

}  // namespace maxlat::core
