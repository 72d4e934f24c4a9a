// SPDX-License-Identifier: MIT
#include "compare/maximum_rate.hpp"

#include <algorithm>
#include <cmath>

namespace maxlat::npt {
namespace {

constexpr double kLowestRate_hz = 100;  // who loses events at this rate has another problem than speed

class Search {
 public:
  Search(double trial_s, const TryRate& try_rate) : try_rate_(try_rate) { found_.trial_s = trial_s; }

  core::Result<core::MaximumRate> run() {
    if (core::Status status = trial(0, false); !status) return status.error();
    while (found_.trials.size() < kMostTrials && !found_.confirmed) {
      const bool confirms = bracket_is_narrow();
      const double next = confirms ? found_.lossless_hz : next_rate();
      if (next < kLowestRate_hz)
        return core::Error{"it loses events at any rate", "is its consumer running, and its disk full?",
                           core::Exit::invalid};
      // Where nothing has been lost yet the loop is the limit, and it is the loop as it is that must be borne out.
      const double asked = found_.lossy_hz ? next : 0;
      if (core::Status status = trial(asked, confirms); !status) return status.error();
      found_.confirmed = confirms && found_.trials.back().lost == 0;
    }
    // A loop may fall short of the rate that it was asked for; what it did is what was borne.
    if (found_.confirmed) found_.lossless_hz = std::min(found_.lossless_hz, found_.trials.back().produced_hz);
    return found_;
  }

 private:
  bool bracket_is_narrow() const {
    return !found_.lossy_hz || (found_.lossless_hz > 0 && *found_.lossy_hz <= found_.lossless_hz * kBracket);
  }

  // REQUIRES: something was lost at some rate.
  double next_rate() const {
    return found_.lossless_hz == 0 ? *found_.lossy_hz / 2 : std::sqrt(*found_.lossy_hz * found_.lossless_hz);
  }

  core::Status trial(double hz, bool confirmation) {
    auto tried = try_rate_(hz, found_.trial_s * (confirmation ? kConfirmationIsLonger : 1));
    if (!tried) return tried.error();
    tried->confirmation = confirmation;
    found_.trials.push_back(*tried);
    const double rate = hz == 0 ? tried->produced_hz : hz;
    if (tried->lost == 0) {
      found_.lossless_hz = std::max(found_.lossless_hz, rate);
      return {};
    }
    found_.lossy_hz = std::min(found_.lossy_hz.value_or(rate), rate);
    // What is above a rate that loses cannot be called lossless, whatever an earlier trial had been lucky with.
    if (found_.lossless_hz >= rate) found_.lossless_hz = best_lossless_below(rate);
    return {};
  }

  double best_lossless_below(double rate) const {
    double best = 0;
    for (const core::RateTrial& trial : found_.trials)
      if (trial.lost == 0 && trial.asked_hz > 0 && trial.asked_hz < rate) best = std::max(best, trial.asked_hz);
    return best;
  }

  const TryRate& try_rate_;
  core::MaximumRate found_;
};

}  // namespace

core::Result<core::MaximumRate> find_maximum_rate(double trial_s, const TryRate& try_rate) {
  return Search(trial_s, try_rate).run();
}

}  // namespace maxlat::npt
